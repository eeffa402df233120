#!/bin/sh
# Score three made-up translation systems with several metrics.
set -e
cd "$(dirname "$0")/demo"
monge models fetch minilm
echo
echo "Three systems translated the same sixteen sentences: careful rephrases, literal keeps foreign word"
echo "order, careless drops and garbles words."
echo
set -x
monge score reference.txt -i careful.txt literal.txt careless.txt -m bertscore moverscore emd cosine chrf bleu -q
{ set +x; } 2>/dev/null
echo
echo "A copy of the reference scores 1 (emd, a distance: 0; chrf and bleu: 100). Without -q the table is"
echo "followed by signatures, which name everything that can change a number."
echo
echo "Next: . .venv/bin/activate     puts monge on your path"
echo "      monge metrics            the metrics; monge metrics NAME prints the card of one"
echo "      monge score --help       your own files: monge score REF -i HYP ..."
echo "      cd examples/demo && monge compare reference.txt -i careful.txt literal.txt   which is better, with tests"
echo "      monge serve              the page: paste two texts, see the alignment on http://127.0.0.1:8000"
echo "      docs/tutorial.md         from scores to decisions"

"""A job warns once if its texts are in a language that an encoder was not made for."""

import json
from pathlib import Path

import pytest

import monge
from monge.cli import main
from monge.encoders.added import AddedModel, record_model, weights_digest
from monge.encoders.models import MODELS
from monge.encoders.static.hashed import HashedEncoder
from monge.environment import Environment
from monge.errors import OptionError
from monge.metrics import load_metric
from monge.metrics.languages import describe_mismatch
from monge.metrics.variants import parse_variant
from monge.text import Segment, parse_language
from monge.workflows.inputs import fit_encoders_to_parts

GERMAN = [
    "Der Junge in dem Mantel ist nach Hause gelaufen, und es hat die ganze Nacht geregnet.",
    "Die Regierung hat mitgeteilt, dass sie die Steuern für Unternehmen im nächsten Jahr nicht erhöhen wird.",
]
ENGLISH = [
    "The boy in the coat ran home, and it was raining all through the night.",
    "The government said that it would not raise the taxes for companies in the next year, but nobody is sure.",
]
CHINESE = ["今天的天气非常好，我们去公园散步。", "政府宣布提高企业税率以减少赤字。"]
WARNING = "the texts look German, but minilm was made for English: the scores may mislead"


def test_languages_of_models_are_codes() -> None:
    for model in MODELS:
        assert [parse_language(code) for code in model.language_codes] == list(model.language_codes)


@pytest.mark.parametrize(
    ("texts", "declared", "found"),
    [
        (GERMAN, "", WARNING),
        (GERMAN, "en", ""),  # what is declared wins
        (ENGLISH, "", ""),
        (ENGLISH, "en-de", "the texts are in German, but minilm was made for English: the scores may mislead"),
        (["Guten Tag!"], "", ""),  # too short to guess
        (["Guten Tag!"], "de-AT", "the texts are in German, but minilm was made for English: the scores may mislead"),
    ],
)
def test_the_declared_or_guessed_language_is_compared(texts: list[str], declared: str, found: str) -> None:
    metrics = [load_metric("bertscore", encoder="minilm"), load_metric("cosine", encoder="minilm"), load_metric("bleu")]
    assert describe_mismatch(metrics, texts, declared=declared) == found


def test_models_are_named_in_one_sentence() -> None:
    metrics = [load_metric("cosine", encoder="minilm"), load_metric("wmd", encoder="glove")]
    assert "minilm and glove were made for English" in describe_mismatch(metrics, GERMAN)


@pytest.mark.parametrize("metric", ["chrf", "bertscore"])
def test_metrics_without_a_known_model_do_not_warn(metric: str) -> None:
    options = {"encoder": HashedEncoder(layers=7)} if metric == "bertscore" else {}
    assert describe_mismatch([load_metric(metric, **options)], GERMAN) == ""


def test_results_of_the_library_carry_it() -> None:
    result = monge.score(GERMAN, GERMAN[::-1], metric="bertscore", encoder="minilm")
    assert result["notes"]["score"] == [WARNING]
    declared = monge.score(GERMAN, GERMAN[::-1], metric="bertscore", encoder="minilm", language="en")
    assert "mean" not in declared["notes"]
    assert "mean" not in monge.score(ENGLISH, ENGLISH[::-1], metric="bertscore", encoder="minilm")["notes"]


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, lines in (("ref", GERMAN), ("a", GERMAN[::-1]), ("b", GERMAN), ("en", ENGLISH), ("zh", CHINESE)):
        Path(f"{name}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("command", ["score", "compare"])
def test_the_command_line_warns_once(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    metrics = ["-m", "bertscore,encoder=minilm", "cosine"]
    assert main([command, "ref.txt", "-i", "a.txt", "b.txt", *metrics]) == 0
    assert capsys.readouterr().err.count(f"monge: {WARNING}") == 1
    assert main([command, "ref.txt", "-i", "a.txt", "b.txt", *metrics, "-l", "en"]) == 0
    assert "made for" not in capsys.readouterr().err


@pytest.mark.usefixtures("files")
def test_english_and_quiet_jobs_do_not_warn(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["score", "en.txt", "-i", "en.txt", "-m", "cosine"]) == 0
    assert main(["score", "ref.txt", "-i", "a.txt", "-m", "cosine", "-q"]) == 0
    assert "made for" not in capsys.readouterr().err


@pytest.mark.usefixtures("files")
def test_a_pair_means_its_target(capsys: pytest.CaptureFixture[str]) -> None:
    def bleu(language: str) -> float:
        assert main(["score", "zh.txt", "-i", "zh.txt", "-m", "bleu", "-l", language, "-f", "json"]) == 0
        (result,) = json.loads(capsys.readouterr().out)
        return float(result["score"])

    assert bleu("en-zh") == bleu("zh-TW") == pytest.approx(100)


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("metric", ["chrf", "bleu", "bertscore", "mongescore"])
def test_languages_that_do_not_exist_are_refused(metric: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["score", "ref.txt", "-i", "a.txt", "-m", metric, "-l", "xx"]) == 2
    err = capsys.readouterr().err
    assert "language='xx': must be a code such as en, zh or de-AT" in err
    assert "did you mean" not in err


def test_presets_follow_the_target_of_a_pair() -> None:
    encoder = HashedEncoder(layers=7)
    pair, target = (load_metric("f_alpha", encoder=encoder, language=code) for code in ("en-zh", "zh"))
    assert pair.signature == target.signature
    with pytest.raises(OptionError, match="neither a language nor a region"):
        load_metric("f_alpha", encoder=encoder, language="en-xx")


CZECH = [
    "Chlapec v kabátu běžel domů a celou noc pršelo, ale nikdo si toho na ulici ani v domě nevšiml, protože spali.",
    "Vláda oznámila, že v příštím roce nebude zvyšovat daně pro firmy, ale nikdo si tím není jistý, jak to bylo.",
]


def test_sources_are_looked_at_where_they_are_read() -> None:
    metric = load_metric("cosine_xl")
    assert describe_mismatch([metric], ENGLISH, sources=GERMAN) == ""
    found = describe_mismatch([metric], ENGLISH, sources=CZECH)
    assert found.startswith("the sources look Czech")
    assert "German" in found
    assert "Thai" in found  # the known ones are named
    assert describe_mismatch([load_metric("cosine", encoder="minilm")], ENGLISH, sources=CZECH) == ""


def test_exchanged_sources_and_translations_are_noticed() -> None:
    metric = load_metric("cosine_xl")
    found = describe_mismatch([metric], GERMAN, sources=ENGLISH, declared="en")
    assert "are the two exchanged?" in found
    assert "right file" in describe_mismatch([metric], ENGLISH, sources=ENGLISH)


def test_the_multilingual_encoder_is_taken_for_languages_it_knows() -> None:
    result = monge.score(GERMAN, GERMAN[::-1], metric="bertscore")
    assert "encoder:use-multilingual" in result["signature"]
    assert any("scored with encoder=use" in note for note in result["notes"]["score"])
    assert "MiniLM" in monge.score(ENGLISH, ENGLISH[::-1], metric="bertscore")["signature"]
    assert "MiniLM" in monge.score(CZECH, CZECH[::-1], metric="bertscore")["signature"]  # which use does not know
    chosen = monge.score(GERMAN, GERMAN[::-1], metric="bertscore", encoder="minilm")
    assert "MiniLM" in chosen["signature"]


def test_mongescore_has_settings_of_its_own_for_other_languages() -> None:
    result = monge.score(GERMAN, GERMAN[::-1], metric="mongescore")
    for part in ("1.encoder:use-multilingual", "1.cost:cosine^3.0", "2.weight:2.0", "3.metric:chrf"):
        assert part in result["signature"]
    assert any("scored with encoder=use" in note for note in result["notes"]["score"])
    assert monge.score(GERMAN, GERMAN, metric="mongescore")["score"] == pytest.approx(1, abs=1e-6)
    chinese = monge.score([f"{text}。" for text in CHINESE], CHINESE, metric="mongescore", sentence=1.0)
    assert "2.weight:1.0" in chinese["signature"]  # an option that was chosen stays
    assert chinese["score"] > 0.9


def test_a_remap_knows_its_languages(tmp_path: Path) -> None:
    german, english = GERMAN * 20, ENGLISH * 20
    encoder = HashedEncoder(layers=7)
    path = tmp_path / "map"
    monge.align(german, english, method="umd", encoder=encoder).fitted.save(path)
    metric = load_metric("yisi2", encoder=encoder, layers="last", remap=str(path))
    assert metric.remap_languages == ("de", "en")  # type: ignore[attr-defined]
    assert describe_mismatch([metric], ENGLISH, sources=GERMAN) == ""
    assert "are the two exchanged?" in describe_mismatch([metric], GERMAN, sources=ENGLISH)
    found = describe_mismatch([metric], ENGLISH, sources=CZECH)
    assert found == "the sources look Czech or Slovak, but the re-mapping was fitted on German"


def test_languages_of_added_encoders_are_compared(tmp_path: Path, minilm_directory: Path) -> None:
    environment = Environment(cache_directory=tmp_path)
    encoder = HashedEncoder(layers=7)
    record_model(AddedModel("mine", "folder", weights_digest(encoder), ("de", "fr")), environment)
    metric = load_metric("bertscore", encoder=encoder)
    assert describe_mismatch([metric], GERMAN, environment=environment) == ""
    found = describe_mismatch([metric], ENGLISH, environment=environment)
    assert found == "the texts look English, but mine was made for German or French: the scores may mislead"
    assert describe_mismatch([metric], ENGLISH, environment=Environment(cache_directory=tmp_path / "other")) == ""


def test_studies_take_the_multilingual_encoder_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    texts = [GERMAN[0], GERMAN[1], GERMAN[0].replace("Mantel", "Hut"), GERMAN[1].replace("Steuern", "Abgaben")]
    rows = [{"hypothesis": text, "reference": texts[0], "human": n} for n, text in enumerate(texts)]
    result = monge.correlate(rows, metrics="bertscore", draws=0)
    assert "use-multilingual" in result.signatures["bertscore"]
    assert any("scored with encoder=use" in warning for warning in result.warnings)
    lines = [json.dumps({"hypothesis": text, "references": [text]}) for text in GERMAN]
    (tmp_path / "good.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    assert main(["stress", "bertscore", "--texts", str(tmp_path / "good.jsonl"), "--attacks", "word order"]) == 0
    assert "scored with encoder=use" in capsys.readouterr().err


def test_parts_in_several_languages_share_one_encoder() -> None:
    german, english = ([Segment(text, (text,)) for text in texts] for texts in (GERMAN, ENGLISH))
    variants = [parse_variant("bertscore")]
    assert fit_encoders_to_parts(variants, [german, german])[0].options == {"encoder": "use"}
    assert fit_encoders_to_parts(variants, [german, english])[0].options == {}


def test_words_between_spaces_are_not_looked_for_in_chinese_without_a_word() -> None:
    texts = ["今天的天气非常好，我们去公园散步。"]
    bleu, chrf, told = load_metric("bleu"), load_metric("chrf"), load_metric("bleu", language="zh")
    found = describe_mismatch([bleu, chrf], texts)
    assert found.startswith("bleu looks for words between spaces, which Chinese does not write: take chrf")
    assert found.endswith(", or give bleu the language (-l zh)")
    assert describe_mismatch([load_metric("ter")], texts).endswith("does not write: take chrf")
    assert describe_mismatch([load_metric("ter", normalized=True, asian_support=True)], texts) == ""
    assert describe_mismatch([bleu], ["วันนี้อากาศดีมากเราไปเดินเล่นที่สวนสาธารณะ"]).endswith("Thai does not write: take chrf")
    assert describe_mismatch([chrf, told], texts) == ""
    assert describe_mismatch([bleu], ["The weather is fine today, so we went to the park."]) == ""

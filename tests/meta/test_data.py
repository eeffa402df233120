"""Readers: small files of our own, and the public sets where this machine has them."""

import gzip
import json
import math

import numpy as np
import pytest

from monge.errors import InputError, OptionError
from monge.meta import find_statistic, measure_agreement, pair_scores
from monge.meta.data import CATALOG, find_data, read_named_columns, read_scores
from monge.meta.data.generation import read_flickr
from monge.meta.data.mqm import read_mqm
from monge.meta.data.mtme import list_pairs, read_tree, write_metric_scores, write_tree
from monge.meta.data.wmt import RankedPair, read_da_segments, read_ranked_pairs
from monge.meta.ranked import pair_rankings
from monge.scores import ScoreTable

RATED = (
    "id\tsystem\tsummary\treference\trating\n"
    "1\ta\tThe cat sat.\tA cat sat.\t4\n"
    "1\tb\tDogs run.\tA cat sat.\t1.5\n"
    "2\ta\tRain fell.\tIt rained.\t\n"
    "2\tb\tIt rained.\tIt rained.\t5\n"
)


def write(path, text):
    path.write_text(text, encoding="utf-8")
    return path


def test_named_columns_are_found_by_their_usual_names(tmp_path):
    (judged,) = read_named_columns(write(tmp_path / "rated.tsv", RATED))
    assert judged.name == "rated"
    assert judged.aspects == ("rating",)
    assert judged.segments[1].hypothesis == "Dogs run."
    assert judged.segments[1].references == ("A cat sat.",)
    table = judged.judgments["rating"]
    assert (table.systems, table.segments) == (("a", "b"), ("1", "2"))
    np.testing.assert_array_equal(table.values, [[4, np.nan], [1.5, 5]])


def test_columns_and_judgments_can_be_named(tmp_path):
    text = "text,gold1,gold2,fluency,adequacy,bleu\n'a, b',x,,1,2,0.5\nb,y,z,3,4,0.25\n"
    path = write(tmp_path / "rated.csv", text.replace("'", '"'))
    roles = {"hypothesis": "text", "reference": "gold1"}
    (judged,) = read_named_columns(path, columns=roles, human=["fluency", "adequacy"], scores=["bleu"])
    assert judged.aspects == ("fluency", "adequacy")
    assert judged.segments[0].hypothesis == "a, b"
    assert judged.segments[1].id == "2"
    assert judged.scores["bleu"].values.tolist() == [[0.5, 0.25]]


def test_a_column_of_language_pairs_separates_parts(tmp_path):
    text = "lp\tsystem\thypothesis\treference\thuman\n"
    text += "".join(f"{lp}\ta\th {lp} {i}\tr\t{i}\n" for i in range(3) for lp in ("de-en", "cs-en"))
    sets = read_named_columns(write(tmp_path / "rated.tsv", text))
    assert [judged.name for judged in sets] == [judged.part for judged in sets] == ["de-en", "cs-en"]
    assert [[s.hypothesis for s in judged.segments] for judged in sets] == [
        [f"h {lp} {i}" for i in range(3)] for lp in ("de-en", "cs-en")
    ]
    assert sets[1].segments[2].id == "3"
    (whole,) = read_named_columns(write(tmp_path / "one.tsv", text.replace("lp\t", "language\t", 1)))
    assert (whole.name, whole.part, len(whole.segments)) == ("one", "", 6)
    named = read_named_columns(tmp_path / "one.tsv", columns={"part": "language"})
    assert [judged.name for judged in named] == ["de-en", "cs-en"]
    with pytest.raises(InputError, match="line 2: column 'lp' is empty"):
        read_named_columns(write(tmp_path / "rated.tsv", text.replace("de-en", "", 1)))


def test_jsonl_with_lists_of_references_and_gzip(tmp_path):
    rows = [{"id": i, "hypothesis": "h", "references": ["r", "s"], "human": i / 2} for i in range(3)]
    path = tmp_path / "rated.jsonl.gz"
    path.write_bytes(gzip.compress("\n".join(json.dumps(row) for row in rows).encode()))
    (judged,) = read_named_columns(path)
    assert judged.segments[0].references == ("r", "s")
    assert judged.judgments["human"].values.tolist() == [[0.0, 0.5, 1.0]]


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("hypothesis\treference\na\tb\n", {}, "no column of judgments"),
        ("hypothesis\thuman\na\tbad\n", {}, "line 2, column 'human': 'bad' is not a number"),
        ("hypothesis\thuman\na\tinf\n", {}, "infinite"),
        ("hypothesis\thuman\na\n", {}, "line 2: 1 cell where 2 columns"),
        ("hypothesis\thuman\n", {}, "no row"),
        ("id\thypothesis\thuman\n1\ta\t1\n1\tb\t2\n", {}, "segment '1' of system '' appears twice"),
        ("hypothesis\trated\na\t1\n", {"human": ["rating"]}, "did you mean 'rated'"),
        ("hypothesis\thuman\na\t1\n", {"columns": {"hypothesis": "text"}}, "no column 'text'"),
        ("hypothesis\thuman\na\t1\n", {"columns": {"hypotesis": "hypothesis"}}, "did you mean 'hypothesis'"),
        ("human\thuman\n1\t1\n", {}, "twice"),
    ],
)
def test_bad_tables_are_refused_with_their_place(tmp_path, text, options, message):
    with pytest.raises((InputError, OptionError), match=message):
        read_named_columns(write(tmp_path / "rated.tsv", text), **options)


def test_quoted_cells_keep_their_line_breaks(tmp_path):
    text = 'id,hypothesis,reference,human\n1,"The cat sat.\nIt ""slept"".",r,1\n2,b,r,x\n'
    path = write(tmp_path / "rated.csv", text)
    with pytest.raises(InputError, match="line 4, column 'human': 'x' is not a number"):
        read_named_columns(path)
    (judged,) = read_named_columns(write(path, text.replace("x\n", "2\n")))
    assert judged.segments[0].hypothesis == 'The cat sat.\nIt "slept".'


@pytest.mark.parametrize("cell", ['"unclosed', "a" * 140_000, '"closed" early'])
def test_a_damaged_csv_is_refused_with_its_place(tmp_path, cell):
    path = write(tmp_path / "rated.csv", f"id,hypothesis,human\n1,a,1\n2,{cell},2\n3,c,3\n")
    with pytest.raises(InputError, match=r"rated\.csv, line [34]: not a table"):
        read_named_columns(path)


def test_unknown_ending_is_refused(tmp_path):
    with pytest.raises(InputError, match=r"must end in \.tsv, \.csv, \.jsonl"):
        read_named_columns(write(tmp_path / "rated.xlsx", "x"))


def test_scores_of_monge_score(tmp_path):
    results = [
        {"system": s, "metric": "emd", "score": 0.5, "higher_is_better": False, "signature": "metric:emd",
         "segments": [{"id": "1", "score": 0.25}, {"id": "2", "score": None}]}
        for s in ("a", "b")
    ]  # fmt: skip
    (scores,) = read_scores(write(tmp_path / "scores.json", json.dumps(results)))
    assert scores.name == "emd"
    assert (scores.directed, scores.table.higher_is_better) == (True, False)
    assert scores.table.totals == {"a": 0.5, "b": 0.5}
    np.testing.assert_array_equal(scores.table.values, [[0.25, np.nan]] * 2)


def test_scores_in_long_and_wide_tables(tmp_path):
    long = "system\tmetric\tid\tscore\na\tbleu\t1\t0.5\na\tchrf\t1\t0.25\nb\tbleu\t1\t1\n"
    found = {s.name: s.table for s in read_scores(write(tmp_path / "long.tsv", long))}
    assert found["bleu"].values.tolist() == [[0.5], [1.0]]
    assert found["chrf"].systems == ("a",)
    wide = "id,system,bleu,chrf\n1,a,0.5,0.25\n1,b,1,\n"
    found = {s.name: s.table for s in read_scores(write(tmp_path / "wide.csv", wide))}
    assert found["bleu"].values.tolist() == [[0.5], [1.0]]
    assert math.isnan(found["chrf"].values[1, 0])
    with pytest.raises(InputError, match="no column of scores"):
        read_scores(write(tmp_path / "none.tsv", "id\tsystem\n1\ta\n"))
    with pytest.raises(InputError, match="entry 1, column 'name': 'x' is not a number"):
        read_scores(write(tmp_path / "other.json", '[{"name": "x"}]'))


def test_rows_of_level_system_are_totals(tmp_path):
    text = "metric\tsystem\tid\tlevel\tscore\nbleu\ta\t\tsystem\t31.5\nbleu\ta\t1\tsegment\t0.5\nbleu\ta\t2\t\t0.25\n"
    (scores,) = read_scores(write(tmp_path / "long.tsv", text))
    assert scores.table.totals == {"a": 31.5}
    assert scores.table.values.tolist() == [[0.5, 0.25]]
    with pytest.raises(InputError, match="'corpus' is neither segment nor system"):
        read_scores(write(tmp_path / "bad.tsv", text.replace("\tsystem\t31", "\tcorpus\t31")))


def test_scores_keep_their_direction_and_part(tmp_path):
    rows = [("de-en", "ter", 0.5, "false"), ("cs-en", "ter", 0.25, "false"), ("de-en", "mine", 1, "")]
    text = "lp\tsystem\tid\tmetric\tscore\thigher_is_better\n"
    text += "".join(f"{lp}\ta\t1\t{metric}\t{score}\t{direction}\n" for lp, metric, score, direction in rows)
    found = {(s.part, s.name): s for s in read_scores(write(tmp_path / "long.tsv", text))}
    directions = {key: s.table.higher_is_better if s.directed else None for key, s in found.items()}
    assert directions == {("de-en", "ter"): False, ("cs-en", "ter"): False, ("de-en", "mine"): None}
    assert found["cs-en", "ter"].table.values.tolist() == [[0.25]]


def test_wmt_segments(tmp_path):
    text = "lp\tsystem\tsid\tsource\thypothesis\treference\thuman\nde-en\ts\t7\tq\th &quot;\tr\t-0.5\n"
    (judged,) = read_da_segments(write(tmp_path / "da.tsv", text))
    assert judged.name == "de-en"
    assert judged.segments[0].hypothesis == "h &quot;"
    assert judged.judgments["da"].values.tolist() == [[-0.5]]


def test_ranked_pairs_count_ties_as_wrong(tmp_path):
    text = "LP DATA SID BETTER WORSE\nde-en newstest 1 a b\nde-en newstest 1 a c\nde-en newstest 2 b c\n"
    pairs = read_ranked_pairs(write(tmp_path / "RR-seglevel.csv", text))["de-en"]
    assert pairs[1] == RankedPair("1", "a", "c")
    table = ScoreTable(("a", "b", "c"), ("1", "2"), np.array([[0.5, 0], [0.2, 0.3], [0.5, 0.3]]))
    ranked = pair_rankings(pairs, {"m": table}, name="de-en")
    tau = measure_agreement(ranked, find_statistic("tau-like", threshold=0.5), level="item")["m"]
    assert tau.value == pytest.approx((1 - 2) / 3)
    assert tau.used == 6
    with pytest.raises(InputError, match="better than itself"):
        read_ranked_pairs(write(tmp_path / "bad.csv", "LP DATA SID BETTER WORSE\nde-en x 1 a a\n"))


def test_mqm_texts_lose_their_marks_and_references_are_found(tmp_path):
    scores = write(tmp_path / "s.tsv", "system mqm_avg_score seg_id\nx -1.5 1\nx None 2\nx -2 3\nref-A -0.5 1\n")
    header = "system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity\n"
    rows = "x\td\t1\t1\tr1\tquelle\tA <v>bad</v> one.\tStyle\tMinor\nref\td\t1\t1\tr1\tquelle\tA good one.\tNo\tNo\n"
    judged = read_mqm(scores, write(tmp_path / "t.tsv", header + rows), name="xx-yy")
    (segment,) = judged.segments
    assert (segment.hypothesis, segment.references, segment.document) == ("A bad one.", ("A good one.",), "d")
    assert judged.judgments["mqm"].values.tolist() == [[-1.5]]
    aside = "1 judgments of ref-A, a reference, are not used"
    assert judged.notes == (aside, "1 judged outputs have no text in this copy")


def test_flickr_captions_are_never_their_own_reference(tmp_path):
    captions = write(tmp_path / "token.txt", "x.jpg#0\ta dog\nx.jpg#1\ta brown dog\ny.jpg#0\ta cat\n")
    judgments = write(tmp_path / "expert.txt", "x.jpg\tx.jpg#0\t4\t3\t4\nx.jpg\ty.jpg#0\t1\t1\t1\n")
    (judged,) = read_flickr(judgments, captions)
    assert judged.segments[0].references == ("a brown dog",)
    assert judged.segments[1].references == ("a dog", "a brown dog")
    assert judged.judgments["expert"].values[0, 0] == pytest.approx(11 / 3)
    with pytest.raises(InputError, match="no caption 'z"):
        read_flickr(write(tmp_path / "bad.txt", "x.jpg\tz.jpg#0\t1\n"), captions)


CAPTIONS = "x.jpg#0\ta dog\nx.jpg#1\ta brown dog\ny.jpg#0\ta cat\n"


def test_crowd_answers_are_shares_not_three_judges(tmp_path):
    captions = write(tmp_path / "token.txt", CAPTIONS)
    rows = "x.jpg\tx.jpg#0\t1\t3\t0\nx.jpg\ty.jpg#0\t0.333333\t1\t2\ny.jpg\tx.jpg#1\t0\t0\t6\n"
    (judged,) = read_flickr(write(tmp_path / "crowd.txt", rows), captions)
    assert judged.aspects == ("crowd",)
    values = judged.judgments["crowd"].values
    assert values[np.isfinite(values)].tolist() == [1.0, 0.333333, 0.0]
    assert judged.notes[0].startswith("CrowdFlower answers: the judgment is the share of yes (column 3)")
    with pytest.raises(InputError, match=r"crowd\.txt, line 2: the share of yes answers does not fit their numbers"):
        read_flickr(write(tmp_path / "crowd.txt", rows.replace("0.333333", "0.5")), captions)


@pytest.mark.parametrize("ratings", ["1\t1\t1", "0\t1\t1", "0.5\t1.5\t1", "1\t2\t1"])
def test_expert_ratings_are_not_mistaken_for_crowd_answers(tmp_path, ratings):
    captions = write(tmp_path / "token.txt", CAPTIONS)
    (judged,) = read_flickr(write(tmp_path / "expert.txt", f"x.jpg\tx.jpg#0\t{ratings}\n"), captions)
    expected = np.mean([float(r) for r in ratings.split("\t")])
    assert judged.judgments["expert"].values[0, 0] == pytest.approx(expected)
    assert judged.notes == ()


@pytest.fixture
def rated(tmp_path):
    text = "id\tsystem\tdocument\tsource\thypothesis\treference\tmqm\n"
    for i in (1, 2):
        for s in "ab":
            text += (
                f"{i}\t{s}\td{i}\tquelle {i}\t{s} output {i}\treference {i}\t{'None' if i == 2 and s == 'b' else -i}\n"
            )
    (judged,) = read_named_columns(write(tmp_path / "rated.tsv", text))
    return type(judged)("xx-yy", judged.segments, judged.judgments)


def test_a_tree_of_mt_metrics_eval_comes_back_as_it_was_written(tmp_path, rated):
    folder = write_tree(rated, tmp_path / "set")
    assert list_pairs(folder) == ["xx-yy"]
    (back,) = read_tree(folder)
    assert [(s.system, s.id, s.hypothesis, s.references, s.source, s.document) for s in back.segments] == [
        (s.system, s.id, s.hypothesis, s.references, s.source, s.document)
        for s in sorted(rated.segments, key=lambda s: (s.system, s.id))
    ]
    np.testing.assert_array_equal(back.judgments["mqm"].values, rated.judgments["mqm"].values)
    assert (folder / "human-scores/xx-yy.mqm.seg.score").read_text() == "a\t-1.0\na\t-2.0\nb\t-1.0\nb\tNone\n"


def test_metric_scores_are_written_as_mt_metrics_eval_reads_them(tmp_path, rated):
    folder = write_tree(rated, tmp_path / "set")
    table = ScoreTable(("a", "b"), ("1", "2"), np.array([[0.5, 1.0], [0.25, 2.0]]), "emd", higher_is_better=False)
    paths = write_metric_scores(folder, "xx-yy", "emd", table, references=["refA"], systems={"a": 0.75, "b": 1.125})
    assert [path.name for path in paths] == ["emd-refA.seg.score", "emd-refA.sys.score"]
    assert paths[0].read_text() == "a\t-0.5\na\t-1.0\nb\t-0.25\nb\t-2.0\n"
    assert paths[1].read_text() == "a\t-0.75\nb\t-1.125\n"
    (back,) = read_tree(folder)
    np.testing.assert_array_equal(back.scores["emd-refA"].values, -table.values)
    holes = ScoreTable(("a",), ("1",), np.array([[np.nan]]))
    with pytest.raises(InputError, match="no score of system 'a' on segment '1'"):
        write_metric_scores(folder, "xx-yy", "m", holes, references=[], systems={"a": 0.0})
    with pytest.raises(OptionError, match="no dot, dash or blank"):
        write_metric_scores(folder, "xx-yy", "m", table, references=["ref-A"], systems={"a": 0.0, "b": 0.0})


def test_an_incomplete_set_cannot_become_a_tree(tmp_path, rated):
    short = type(rated)("xx-yy", rated.segments[:-1], rated.judgments)
    with pytest.raises(OptionError, match="has 1 of 2 segments"):
        write_tree(short, tmp_path / "set")
    with pytest.raises(OptionError, match="judgments but no texts"):
        write_tree(type(rated)("xx-yy", (), rated.judgments), tmp_path / "set")
    assert not (tmp_path / "set").exists()


def test_the_catalog_is_complete():
    for spec in CATALOG:
        assert spec.licence
        assert spec.citation
        assert spec.home.startswith("https://")
        assert all(len(file.sha256) == 64 and file.address.startswith("https://") for file in spec.files)
    with pytest.raises(OptionError, match="did you mean 'wmt17'"):
        find_data("wmt71")


def test_a_missing_set_says_how_to_get_it(tmp_path, monkeypatch):
    monkeypatch.setenv("MONGE_DATA", str(tmp_path))
    monkeypatch.setenv("MONGE_CACHE", str(tmp_path / "cache"))
    with pytest.raises(InputError, match=r"monge data fetch stsb.*MONGE_DATA"):
        find_data("stsb").load()
    with pytest.raises(InputError, match=r"get it from https://github\.com"):
        find_data("summeval").load()


def test_downloads_are_checked_by_their_hash(tmp_path, monkeypatch):
    import hashlib

    from monge.meta.data.catalog import DataSpec, RemoteFile
    from monge.meta.data.locate import download_data

    monkeypatch.setenv("MONGE_CACHE", str(tmp_path / "cache"))
    source = write(tmp_path / "source.csv", "a,b,1\n")
    good = hashlib.sha256(source.read_bytes()).hexdigest()
    for sha, works in ((good, True), ("0" * 64, False)):
        file = RemoteFile(f"{works}.csv", source.as_uri(), sha)
        spec = DataSpec("x", "x", "x", "generation:read_sts_folder", "l", "c", "https://h", files=(file,))
        if works:
            assert (download_data(spec) / file.name).read_text() == "a,b,1\n"
        else:
            with pytest.raises(InputError, match="SHA-256"):
                download_data(spec)
            assert not list((tmp_path / "cache/data/x").glob("*False*"))
    gone = RemoteFile("gone.csv", (tmp_path / "gone").as_uri(), good)
    spec = DataSpec("x", "x", "x", "generation:read_sts_folder", "l", "c", "https://h", files=(gone,))
    with pytest.raises(InputError, match="cannot be fetched"):
        download_data(spec)


SIZES = {
    "wmt17": (7, 3920), "mqm": (2, 13754), "et-en": (1, 1000), "mlqe": (7, 7000), "eval4nlp": (2, 2000),
    "summeval": (1, 1600), "d2t": (2, 1279), "topical-chat": (1, 300), "stsb": (1, 1379), "tac": (3, 7404),
    "d2t-medians": (3, 2460),
}  # fmt: skip


@pytest.mark.parametrize("name", SIZES)
def test_public_sets_have_the_size_they_are_known_for(judgments, monkeypatch, name):
    monkeypatch.setenv("MONGE_DATA", str(judgments))
    sets = find_data(name).load()
    parts, outputs = SIZES[name]
    assert len(sets) == parts
    first = [judged.judgments[judged.aspects[0]] for judged in sets]
    assert sum(int(np.isfinite(table.values).sum()) for table in first) == outputs


@pytest.mark.parametrize("statistic", ["pearson", "spearman", "kendall"])
def test_tac_topics_reproduce_the_published_correlations(judgments, monkeypatch, statistic):
    """BT-eval published the correlation of every metric on every topic; ours by item must be the same."""
    from monge.scores.records import read_csv_records

    monkeypatch.setenv("MONGE_DATA", str(judgments))
    title = {"pearson": "pearsonr", "spearman": "spearmanr", "kendall": "kendalltau"}[statistic]
    published = [
        r for r in read_csv_records(judgments / "bt_eval_multisystem/tac_corr.csv.gz") if r.text("stat") == title
    ]
    for judged in find_data("tac").load():
        own = [r for r in published if f"tac{r.text('set')}" == judged.name]
        scores = pair_scores(judged.judgments["pyramid"], judged.scores, name=judged.name)
        found = measure_agreement(scores, find_statistic(statistic), level="item")
        for metric in judged.scores:
            expected = np.mean([r.number(metric) for r in own])
            # the tables are stored with six digits, which ties a few ranks
            tolerance = 2e-5 if statistic == "pearson" else 1e-3
            assert found[metric].value == pytest.approx(expected, abs=tolerance), (judged.name, metric)


@pytest.mark.parametrize(
    ("part", "metric", "published"),
    [
        # Zhao et al. (2019), MoverScore, table 3: Spearman for informativeness, naturalness, quality
        ("bagel", "Bleu_1", (0.225, 0.141, 0.113)),
        ("bagel", "Bleu_2", (0.211, 0.152, 0.115)),
        ("bagel", "METEOR", (0.251, 0.127, 0.116)),
        ("sfhot", "Bleu_1", (0.107, 0.175, 0.069)),
        ("sfhot", "Bleu_2", (0.097, 0.174, 0.071)),
        ("sfhot", "METEOR", (0.111, 0.148, 0.082)),
    ],
)
def test_data_to_text_baselines_are_the_published_ones(judgments, monkeypatch, part, metric, published):
    monkeypatch.setenv("MONGE_DATA", str(judgments))
    (judged,) = find_data("d2t-medians").load([part])
    for aspect, expected in zip(("informativeness", "naturalness", "quality"), published, strict=True):
        scores = pair_scores(judged.judgments[aspect], {metric: judged.scores[metric]})
        found = measure_agreement(scores, find_statistic("spearman"))[metric]
        assert found.value == pytest.approx(expected, abs=2e-3), aspect

"""Explanations of document metrics: contributions that add up, links, and their pictures."""

import json
import math
import xml.etree.ElementTree as ElementTree

import pytest

import monge
from monge.errors import InputError, OptionError
from monge.explanation import DocumentExplanation, explain_document
from monge.metrics import load_metric
from monge.report.alignment.page import render_page
from monge.report.documents.page import render_document_text
from monge.report.documents.picture import render_document
from monge.text import Segment

HYPOTHESIS = "The boat sank. The crew left the boat. Nobody <saw> the crew or the boat."
REFERENCES = ("The boat sank near the coast. Its crew swam to the coast.", "A boat sank.", "It rained.")
SEGMENT = Segment(HYPOTHESIS, REFERENCES)


@pytest.mark.parametrize("metric", ["ds_focus", "focus_frequency"])
@pytest.mark.parametrize("form", ["union", "text", "released"])
@pytest.mark.parametrize("average", ["precision", "recall", "f"])
def test_contributions_add_up_to_the_score(metric: str, form: str, average: str) -> None:
    encoder = {"encoder": "hashed"} if metric == "ds_focus" else {}
    loaded = load_metric(metric, form=form, average=average, **encoder)
    found = explain_document(loaded, SEGMENT)
    assert found.value == loaded.score([SEGMENT])[0].value
    assert found.additive
    assert math.isclose(found.total, found.value, rel_tol=1e-12)


def test_links_are_those_of_the_sentence_graph() -> None:
    own = explain_document(load_metric("focus_frequency"), SEGMENT).pairs[0].hypothesis
    assert [(link.first, link.second, link.weight, link.foci) for link in own.links] == [
        (0, 1, 1.0, ("boat",)),
        (0, 2, 0.5, ("boat",)),
        (1, 2, 2.0, ("boat", "crew")),
    ]
    assert [HYPOTHESIS[a:b] for a, b in own.sentences] == HYPOTHESIS.replace(". ", ".|").split("|")


def test_foci_of_one_text_alone_are_listed() -> None:
    pair = explain_document(load_metric("focus_frequency"), SEGMENT).pairs[0]
    lonely = {focus.name: (len(focus.hypothesis), len(focus.reference)) for focus in pair.foci}
    assert lonely["coast"] == (0, 2)
    assert lonely["boat"] == (3, 1)


def test_a_feature_shows_its_foci_without_contributions() -> None:
    found = monge.explain(HYPOTHESIS, metric="rc")
    assert isinstance(found, DocumentExplanation)
    assert not found.additive
    assert found.pairs[0].reference is None
    text = render_document_text(found)
    assert "neither direction is better" in text
    assert "[boat]" in text


def test_pictures_are_well_formed_and_show_texts_literally() -> None:
    found = explain_document(load_metric("focus_frequency"), SEGMENT)
    for place in range(3):
        for frame in (True, False):
            ElementTree.fromstring(render_document(found, pair=place, frame=frame))
    page = render_page([found])
    assert "<saw>" not in page
    assert "reference 3" in page
    assert "0.5" in render_document(found)  # the weight of a link
    assert "\x1b[1;38;5;" in render_document_text(found, colour=True)


def test_words_and_links_of_a_picture_name_their_foci() -> None:
    found = explain_document(load_metric("focus_frequency"), SEGMENT)
    picture = ElementTree.fromstring(render_document(found, frame=False, width=400))
    assert picture.attrib["width"] == "400"
    names = [focus.name for focus in found.pairs[0].foci]
    words = [one for one in picture.iter() if one.attrib.get("class") == "word"]
    mentions = [len(focus.hypothesis) + len(focus.reference) for focus in found.pairs[0].foci]
    drawn = [sum(word.attrib["data-focus"] == str(number) for word in words) for number in range(len(names))]
    assert drawn == mentions
    links = [one.attrib["data-foci"] for one in picture.iter() if one.attrib.get("class") == "link"]
    assert links
    assert all(0 <= int(number) < len(names) for foci in links for number in foci.split())


def test_links_carry_the_weights_of_the_metric() -> None:
    text = "The boat and the crew left. A boat and a crew came."
    for weighted, expected in ((True, 2.0), (False, 1.0)):
        found = explain_document(load_metric("entity_graph", weighted=weighted), Segment(text))
        assert [link.weight for link in found.pairs[0].hypothesis.links] == [expected]


def test_records_are_plain() -> None:
    record = json.loads(json.dumps(explain_document(load_metric("focus_frequency"), SEGMENT).record()))
    assert record["additive"] is True
    assert record["pairs"][0]["foci"][0]["name"] == "boat"
    empty = explain_document(load_metric("focus_frequency", form="text"), Segment("It rained.", ("A boat.",)))
    assert empty.record()["value"] is None
    assert empty.notes


def test_what_cannot_be_explained_by_foci() -> None:
    with pytest.raises(OptionError, match="chrf has no foci"):
        explain_document(load_metric("chrf"), SEGMENT)
    with pytest.raises(InputError, match="no reference"):
        explain_document(load_metric("focus_frequency"), Segment("A boat."))


def test_other_explanations_of_a_feature_call_no_word_harmful() -> None:
    from monge.report.alignment.word_effects import render_effects_text

    found = monge.explain("The boat and the boat sank", metric="length", how="occlusion")
    text = render_effects_text(found)
    assert "harms" not in text
    assert "helps" not in text


def test_notebooks_show_documents() -> None:
    assert "<svg" in monge.render_html(monge.explain(HYPOTHESIS, REFERENCES[0], metric="focus_frequency"))

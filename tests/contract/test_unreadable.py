"""No metric may call unrelated texts alike because its model cannot read them."""

import dataclasses
import math
from functools import cache

import pytest

from monge.encoders import load_encoder
from monge.encoders.recent import RecentEncoder
from monge.encoders.static.hashed import HashedEncoder
from monge.environment import Environment
from monge.metrics import Metric, load_metric, metric_options, metric_specs
from monge.metrics.base import bind_to
from monge.text import Segment

# a walk in the park, and a tax on companies
UNRELATED = {
    "Chinese": ("今天的天气非常好，我们去公园散步。", "政府宣布提高企业税率以减少赤字。"),
    "Chinese, short": ("我搆不到它。", "我在伦敦。"),
    "Japanese": (
        "今日はとても天気が良いので、公園を散歩します。",
        "政府は赤字を減らすために法人税を引き上げると発表した。",
    ),
    "Korean": (
        "오늘은 날씨가 아주 좋아서 공원을 산책합니다.",
        "정부는 적자를 줄이기 위해 법인세를 인상한다고 발표했다.",
    ),
    "Arabic": ("الطقس جميل جدا اليوم وسنذهب إلى الحديقة.", "أعلنت الحكومة رفع ضريبة الشركات لخفض العجز."),
    "Hebrew": ("מזג האוויר יפה מאוד היום ונלך לטייל בפארק.", "הממשלה הודיעה על העלאת מס החברות כדי לצמצם את הגירעון."),
    "Russian": ("Сегодня очень хорошая погода, мы гуляем в парке.", "Правительство объявило о повышении налога."),
    "Greek": (
        "Ο καιρός είναι πολύ καλός σήμερα και πάμε στο πάρκο.",
        "Η κυβέρνηση ανακοίνωσε αύξηση του εταιρικού φόρου.",
    ),
    "Hindi": (
        "आज मौसम बहुत अच्छा है और हम पार्क में टहलते हैं।",
        "सरकार ने घाटा कम करने के लिए कॉर्पोरेट कर बढ़ाने की घोषणा की।",
    ),
    "Thai": ("วันนี้อากาศดีมากเราไปเดินเล่นที่สวนสาธารณะ", "รัฐบาลประกาศขึ้นภาษีนิติบุคคลเพื่อลดการขาดดุล"),
    "Georgian": (
        "დღეს ძალიან კარგი ამინდია და პარკში ვსეირნობთ.",
        "მთავრობამ გამოაცხადა კორპორატიული გადასახადის გაზრდა.",
    ),
    "Kazakh": ("Қайырлы таң. Тұратын уақыт болды.", "Таңертең өте суық болды."),  # mostly whole unknown words
    "emoji": ("🙂🙃🙂", "🚀🛰️"),
}
ENGLISH = "The committee rejected the proposal because it was too expensive."
PAIRS = [Segment(hypothesis, (reference,), reference) for hypothesis, reference in UNRELATED.values()]
COPY, EMPTY = Segment(ENGLISH, (ENGLISH,), ENGLISH), Segment("", (ENGLISH,), ENGLISH)
CORPUS = [COPY, EMPTY, *PAIRS]

# language models and dictionaries do not compare texts of one language: tests/metrics/test_free.py; what was
# learned from a test set: tests/metrics/test_context.py
LEARNED_OR_GIVEN = {"lm", "dictionary", "context"}
NAMES = sorted(
    name for name in metric_specs() if name != "composite" and not LEARNED_OR_GIVEN & set(metric_options(name))
)

# what each metric is run with by default, though not its largest model
STATIC = ("wmd", "wmdo", "we", "we_wpi", "rouge_we")
TESTED = [n for n in NAMES if metric_specs()[n].higher_is_better is not None]


@cache
def recall(name: str) -> RecentEncoder:
    """Return an encoder that all tests share, and that keeps the vectors of the few texts they have."""
    environment = dataclasses.replace(Environment.read(), cache=False)
    return RecentEncoder(load_encoder(name, environment=environment), most=1 << 28)


def load(name: str, encoder: object) -> Metric:
    options = {"encoder": encoder} if "encoder" in metric_options(name) else {}
    if name == "meteor":
        options["wordnet"] = "none"  # synonyms need a database that a machine may lack
    environment = dataclasses.replace(Environment.read(), cache=False)
    return bind_to(load_metric(name, environment=environment, **options), CORPUS)


def check_far_from_perfect(metric: Metric) -> None:
    """Check that a score is missing, or at least a tenth of the way from a copy to an empty text."""
    perfect, worst = (score.value for score in metric.score([COPY, EMPTY]))
    assert perfect != worst
    silent = [Segment("", pair.references, pair.source) for pair in PAIRS]
    for script, score, empty in zip(UNRELATED, metric.score(PAIRS), metric.score(silent), strict=True):
        if math.isnan(score.value):
            assert score.notes, f"{script}: a missing score must say why"
            continue
        least = 0.1 * abs(perfect - (worst if math.isnan(empty.value) else empty.value))
        assert abs(score.value - perfect) >= least > 0, f"{script}: {score.value}, a copy has {perfect}"


@pytest.mark.parametrize("name", TESTED)
def test_unrelated_texts_of_any_script_are_not_alike(name: str) -> None:
    check_far_from_perfect(load(name, recall("glove" if name in STATIC else "minilm")))


@pytest.mark.parametrize("name", [name for name in NAMES if "encoder" in metric_options(name)])
def test_an_encoder_that_knows_every_word_scores_them_all(name: str) -> None:
    metric = load(name, HashedEncoder(layers=7, special=True))
    check_far_from_perfect(metric)
    if metric.spec.unit == "document":  # a text without nouns has no score, whatever the encoder knows
        return
    assert not any(math.isnan(score.value) or score.unknown for score in metric.score(CORPUS))

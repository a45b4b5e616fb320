"""Train what tells a refusal from an answer without a model (kgservice/text/refusal.py) on training/refusals.tsv.

Its test is tests/data/refusals.tsv, which is not read here. Printed: how much of the training list is told right when
each tenth is held out.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from sklearn.feature_extraction import DictVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict
from sklearn.pipeline import make_pipeline

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))  # kgservice from this checkout

from kgservice.text.refusal import WEIGHTS, features

STRENGTH = 1.0  # C of the regression, chosen by the tenths held out
SMALLEST = 0.02  # weight that is kept


def main() -> None:
    """Write the weights."""
    lines = (ROOT / "training" / "refusals.tsv").read_text(encoding="utf-8").splitlines()
    pairs = [line.split("\t") for line in lines]
    rows = [dict.fromkeys(sorted(features(text)), 1) for _, text in pairs]
    wanted = [kind == "refusal" for kind, _ in pairs]
    model = make_pipeline(DictVectorizer(), LogisticRegression(C=STRENGTH, max_iter=2_000))
    held_out = cross_val_predict(model, rows, wanted, cv=10)
    wrong = [text for (_, text), right, said in zip(pairs, wanted, held_out, strict=True) if right != said]
    model.fit(rows, wanted)
    names, fitted = model[0].get_feature_names_out(), model[1]
    weights = {"": round(float(fitted.intercept_[0]), 3)} | {
        str(name): round(float(weight), 3)
        for name, weight in zip(names, fitted.coef_[0], strict=True)
        if abs(weight) >= SMALLEST
    }
    text = json.dumps(weights, ensure_ascii=False, indent=0, sort_keys=True)
    (ROOT / "kgservice" / "text" / WEIGHTS).write_text(text + "\n", encoding="utf-8")
    print(json.dumps({"right": len(pairs) - len(wrong), "of": len(pairs), "wrong": wrong}, ensure_ascii=False))


if __name__ == "__main__":
    main()

# scikit-learn on the rows that come in as JSON on stdin: held-out error on the given folds of HistGradientBoosting and of Ridge or
# LogisticRegression; or the processor seconds of one fit. One thread.
import os

os.environ["OMP_NUM_THREADS"] = "1"
os.environ["OPENBLAS_NUM_THREADS"] = "1"
import json
import resource
import sys
import time
import warnings

import numpy as np
import sklearn
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.linear_model import LogisticRegression, Ridge

warnings.filterwarnings("ignore")


def linear_columns(columns, train):
    out = []
    for column in columns:
        values = np.array([np.nan if v is None else v for v in column["values"]], dtype=float)
        if column["kind"] == "category":
            for level in range(column["levels"]):
                out.append((values == level).astype(float))
            continue
        missing = np.isnan(values)
        seen = values[train & ~missing]
        centre, scale = (seen.mean(), seen.std() or 1.0) if len(seen) else (0.0, 1.0)
        out.append(np.where(missing, 0.0, (values - centre) / scale))
        if missing.any():
            out.append(missing.astype(float))
    return np.column_stack(out)


def accuracy(task):
    columns, folds, y = task["columns"], np.array(task["folds"]), np.array(task["target"], dtype=float)
    x = np.column_stack([np.array([np.nan if v is None else v for v in c["values"]], dtype=float) for c in columns])
    categories = [c["kind"] == "category" for c in columns]
    number = task["kind"] == "number"
    losses = {"HistGradientBoosting": np.zeros(len(y)), "Ridge" if number else "LogisticRegression": np.zeros(len(y))}
    for fold in range(folds.max() + 1):
        train, test = folds != fold, folds == fold
        flat = linear_columns(columns, train)
        for name, table in zip(losses, (x, flat)):
            if number:
                model = HistGradientBoostingRegressor(categorical_features=categories) if table is x else Ridge()
                losses[name][test] = (y[test] - model.fit(table[train], y[train]).predict(table[test])) ** 2
            else:
                model = (
                    HistGradientBoostingClassifier(categorical_features=categories)
                    if table is x
                    else LogisticRegression(max_iter=500)
                )
                p = model.fit(table[train], y[train]).predict_proba(table[test])
                place = np.searchsorted(model.classes_, y[test])
                losses[name][test] = -np.log(np.maximum(1e-15, p[np.arange(len(place)), place]))
    return {k: float(np.sqrt(v.mean()) if number else v.mean()) for k, v in losses.items()}


def speed(task):
    rng = np.random.default_rng(1)
    x = rng.uniform(-1, 1, (task["rows"], task["width"]))
    y = np.sin(3 * x[:, 0]) + x[:, 1] * x[:, 2] + 0.6 * (rng.uniform(size=task["rows"]) - 0.5)
    start = time.process_time()
    HistGradientBoostingRegressor(max_iter=task["rounds"], early_stopping=False).fit(x, y)
    seconds = time.process_time() - start
    return {"seconds": seconds, "megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}


task = json.load(sys.stdin)
result = speed(task) if "rows" in task else accuracy(task)
print(json.dumps({**result, "version": sklearn.__version__}))

"""Makes the small ONNX models of the examples and what scikit-learn predicts with the same parameters.

Needs python3 with onnx (1.12 or later), scikit-learn and numpy. Run in this folder: python3 make-models.py
Writes linear.onnx, perceptron.onnx, trees.onnx, risk.onnx and predictions.json. Tests read only these.

The world: age in 18..95, smoker true or false, town one of north, south, east.
linear, perceptron and trees predict the number of risk alleles in 0..2; risk predicts the probability of being a carrier.
"""

import json

import numpy as np
from onnx import TensorProto, checker, helper, save
from sklearn.ensemble import GradientBoostingRegressor
from sklearn.linear_model import LinearRegression
from sklearn.neural_network import MLPRegressor

TOWNS = ["north", "south", "east"]
rng = np.random.default_rng(20260)
n = 2000
age = rng.uniform(18, 95, n)
smoker = rng.random(n) < 0.3
town = rng.integers(0, 3, n)
alleles = np.clip(
    1.3 - 0.006 * age + 0.5 * smoker + 0.2 * (town == 1) + 0.3 * np.sin(age / 12) + 0.2 * rng.normal(size=n), 0, 2
)
# Columns: age, smoker, one-hot town.
features = np.column_stack([age, smoker, *[town == k for k in range(3)]]).astype(np.float32)

linear = LinearRegression().fit(features, alleles)
scale = np.array([100, 1, 1, 1, 1], dtype=np.float32)
perceptron = MLPRegressor((8, 8), max_iter=800, random_state=1).fit(features / scale, alleles)
trees = GradientBoostingRegressor(n_estimators=30, max_depth=3, learning_rate=0.2, random_state=1).fit(features, alleles)


def number_input(name):
    return helper.make_tensor_value_info(name, TensorProto.FLOAT, ["rows", 1])


def output(name, columns=1):
    return helper.make_tensor_value_info(name, TensorProto.FLOAT, ["rows", columns])


def model_of(name, nodes, inputs, outputs, initializers=()):
    graph = helper.make_graph(nodes, name, inputs, outputs, list(initializers))
    model = helper.make_model(
        graph,
        producer_name="primo examples",
        opset_imports=[helper.make_opsetid("", 13), helper.make_opsetid("ai.onnx.ml", 2)],
        ir_version=7,
    )
    checker.check_model(model)
    save(model, f"{name}.onnx")


def tensor(name, values):
    values = np.asarray(values, dtype=np.float32)
    return helper.make_tensor(name, TensorProto.FLOAT, values.shape, values.flatten())


# linear: three inputs by name, the town as text.
coefficients = linear.coef_
town_weights = coefficients[2:]
model_of(
    "linear",
    [
        helper.make_node(
            "OneHotEncoder", ["town"], ["town_columns"], domain="ai.onnx.ml", cats_strings=TOWNS, zeros=1
        ),
        helper.make_node("Reshape", ["town_columns", "town_shape"], ["town_flat"]),
        helper.make_node("Concat", ["age", "smoker", "town_flat"], ["columns"], axis=1),
        helper.make_node(
            "LinearRegressor",
            ["columns"],
            ["alleles"],
            domain="ai.onnx.ml",
            coefficients=[float(value) for value in coefficients],
            intercepts=[float(linear.intercept_)],
            targets=1,
        ),
    ],
    [number_input("age"), number_input("smoker"), helper.make_tensor_value_info("town", TensorProto.STRING, ["rows", 1])],
    [output("alleles")],
    [helper.make_tensor("town_shape", TensorProto.INT64, [2], [-1, 3])],
)

# perceptron: one input of five columns.
columns = helper.make_tensor_value_info("columns", TensorProto.FLOAT, ["rows", 5])
nodes = [helper.make_node("Div", ["columns", "scale"], ["layer0"])]
initializers = [tensor("scale", scale)]
for layer, (weights, bias) in enumerate(zip(perceptron.coefs_, perceptron.intercepts_)):
    initializers += [tensor(f"weights{layer}", weights), tensor(f"bias{layer}", bias)]
    last = layer == len(perceptron.coefs_) - 1
    nodes.append(
        helper.make_node(
            "Gemm",
            [f"layer{layer}", f"weights{layer}", f"bias{layer}"],
            ["alleles" if last else f"sum{layer}"],
        )
    )
    if not last:
        nodes.append(helper.make_node("Relu", [f"sum{layer}"], [f"layer{layer + 1}"]))
model_of("perceptron", nodes, [columns], [output("alleles")], initializers)

# trees: one input of five columns, an ensemble of thirty trees.
lists = {name: [] for name in ["treeids", "nodeids", "featureids", "values", "modes", "truenodeids", "falsenodeids"]}
targets = {name: [] for name in ["treeids", "nodeids", "ids", "weights"]}
for index, [stage] in enumerate(trees.estimators_):
    tree = stage.tree_
    for node in range(tree.node_count):
        leaf = tree.children_left[node] < 0
        lists["treeids"].append(index)
        lists["nodeids"].append(node)
        lists["featureids"].append(0 if leaf else int(tree.feature[node]))
        lists["values"].append(0.0 if leaf else float(tree.threshold[node]))
        lists["modes"].append("LEAF" if leaf else "BRANCH_LEQ")
        lists["truenodeids"].append(0 if leaf else int(tree.children_left[node]))
        lists["falsenodeids"].append(0 if leaf else int(tree.children_right[node]))
        if leaf:
            targets["treeids"].append(index)
            targets["nodeids"].append(node)
            targets["ids"].append(0)
            targets["weights"].append(float(trees.learning_rate * tree.value[node].item()))
model_of(
    "trees",
    [
        helper.make_node(
            "TreeEnsembleRegressor",
            ["columns"],
            ["alleles"],
            domain="ai.onnx.ml",
            n_targets=1,
            aggregate_function="SUM",
            base_values=[float(np.ravel(trees.init_.constant_)[0])],
            post_transform="NONE",
            **{f"nodes_{name}": values for name, values in lists.items()},
            **{f"target_{name}": values for name, values in targets.items()},
        )
    ],
    [columns],
    [output("alleles")],
)

# risk: a probability with its standard deviation, two outputs.
model_of(
    "risk",
    [
        helper.make_node("Gemm", ["columns", "slopes", "offset"], ["index"]),
        helper.make_node("Sigmoid", ["index"], ["carrier"]),
        helper.make_node("Mul", ["carrier", "share"], ["deviation"]),
    ],
    [columns],
    [output("carrier"), output("deviation")],
    [tensor("slopes", [[-0.01], [0.8], [0.1], [0.3], [-0.2]]), tensor("offset", [0.2]), tensor("share", [0.1])],
)

rows = []
for k in range(40):
    row = features[k : k + 1]
    index = float((row @ np.array([[-0.01], [0.8], [0.1], [0.3], [-0.2]], dtype=np.float32)).item()) + 0.2
    rows.append(
        {
            "context": {
                "age": float(np.float32(age[k])),
                "smoker": bool(smoker[k]),
                "town": TOWNS[int(town[k])],
            },
            "linear": float(linear.predict(row)[0]),
            "perceptron": float(perceptron.predict(row / scale)[0]),
            "trees": float(trees.predict(row)[0]),
            "risk": 1 / (1 + np.exp(-index)),
        }
    )
with open("predictions.json", "w") as file:
    json.dump(rows, file, indent=1)
    file.write("\n")

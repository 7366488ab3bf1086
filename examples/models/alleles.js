// A model of the user's own, for the imputer kind `module`: one row in, one prediction out, with its standard deviation.

export function predict({ age, smoker }) {
  return { value: Math.min(2, Math.max(0, 1.3 - 0.006 * age + (smoker ? 0.5 : 0))), sd: 0.3 }
}

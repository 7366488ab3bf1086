// Warnings of calculators about their own results, as data: a stable code, a sentence and the numbers behind it.

/** Codes of warnings about a result. */
export type TheoryWarningCode =
  | 'peeling-floored'
  | 'radius-vacuous'
  | 'bound-vacuous'
  | 'probability-vacuous'
  | 'rows-floored'
  | 'no-calibration'
  | 'ball-binds'
  | 'exponent-outside-range'
  | 'gamma-saturates'
  | 'constant-one'
  | 'overlap-below-floor'
  | 'nothing-where-rarest'
  | 'few-effective-rows'
  | 'augmented-not-positive'
  | 'no-missing-rows'
  | 'clipped-at-zero'

/** A warning of a calculator about its own result. */
export interface TheoryWarning {
  readonly code: TheoryWarningCode
  readonly message: string
  readonly facts: Readonly<Record<string, number | string>>
}

/** Makes a warning. */
export function theoryWarning(
  code: TheoryWarningCode,
  message: string,
  facts: Readonly<Record<string, number | string>> = {},
): TheoryWarning {
  return Object.freeze({ code, message, facts: Object.freeze({ ...facts }) })
}

export function outsideRange(entropyExponent: number): TheoryWarning {
  return theoryWarning('exponent-outside-range', 'the printed rate needs an entropy exponent below 2 (E18)', {
    entropyExponent,
  })
}

export function constantOne(): TheoryWarning {
  return theoryWarning('constant-one', 'a universal constant the display leaves open is taken as 1', {})
}

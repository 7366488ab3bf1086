// What policies are called, and how they are drawn.

export const POLICY_NAMES: Readonly<Record<string, string>> = {
  robust: 'Primo (robust)',
  primo: 'PRIMO, uncorrected',
  'primo-cal': 'PRIMO-Cal',
  'zero-fill': 'missing taken as zero',
  'complete-case': 'complete rows only',
  'sees-all-values': 'told every value',
  'best-fixed-action': 'best single action',
  uniform: 'at random',
}

export const policyDash = (policy: string): { readonly dash?: string } =>
  policy === 'sees-all-values'
    ? { dash: '6 3' }
    : policy === 'best-fixed-action' || policy === 'uniform'
      ? { dash: '2 3' }
      : {}

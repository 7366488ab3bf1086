// What became of a decision's reward, and where its values came from, in words.

export const REWARD_WORDS: Readonly<Record<string, string>> = {
  closed: 'received',
  open: 'awaited',
  default: 'default counted',
  late: 'too late',
  dropped: 'never came',
  void: 'void',
}

const SOURCE_WORDS: Readonly<Record<string, string>> = {
  observed: 'seen',
  pretrained: 'model as it is',
  calibrated: 'corrected model',
  audited: 'model corrected by audit',
  'reward-informed': 'corrected by rewards',
  constant: 'constant',
  fallback: 'fallback',
  imported: 'your former system',
}

export function rewardWords(status: string): string {
  return REWARD_WORDS[status] ?? status
}

export function sourceWords(source: string): string {
  return SOURCE_WORDS[source] ?? source
}

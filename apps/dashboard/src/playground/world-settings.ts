// The dials of the made-up world: where they begin, worlds worth seeing, and how the address says them.

export const scenarios = {
  dosing: 'dosing',
  pricing: 'pricing',
  A: 'A: reward linear in z',
  B: 'B: reward quadratic in z',
}

export interface Settings {
  readonly scenario: keyof typeof scenarios
  /** Share of the rounds whose covariate is missing. */
  readonly share: number
  /** Systematic error of the pre-trained model, 1: as the scenario has it. */
  readonly bias: number
  /** Standard deviation of its random error, as a share of half the covariate's range. */
  readonly noise: number
  /** How much observation depends on the hidden value. */
  readonly mnar: number
  /** log10 of c in gamma = c sqrt(K n / dim) of PRIMO and PRIMO-Cal: less is more exploration. */
  readonly exploration: number
  readonly rounds: number
}

export const initialSettings: Settings = {
  scenario: 'dosing',
  share: 0.5,
  bias: 1,
  noise: 0,
  mnar: 0,
  exploration: 1,
  rounds: 32_768,
}

export interface Preset {
  readonly name: string
  /** What is odd about this world. */
  readonly about: string
  readonly change: Partial<Settings>
}

export const presets: readonly Preset[] = [
  { name: 'Dosing', about: 'Half of the risk alleles are unknown; the model of them is somewhat off.', change: {} },
  {
    name: 'Biased model',
    about: 'The model errs half as much again, always in the same direction.',
    change: { bias: 1.5 },
  },
  {
    name: 'Values hidden on purpose',
    about: 'Whether a value is known depends on the value itself.',
    change: { mnar: 2 },
  },
  { name: 'Model useless', about: 'The model is mostly noise.', change: { bias: 0, noise: 0.6 } },
]

export const playedPolicies = ['zero-fill', 'complete-case', 'primo', 'primo-cal', 'robust', 'sees-all-values'] as const
export type PlayedPolicy = (typeof playedPolicies)[number]

const LIMITS: Readonly<Record<Exclude<keyof Settings, 'scenario'>, readonly [number, number]>> = {
  share: [0.05, 0.9],
  bias: [0, 1.5],
  noise: [0, 0.6],
  mnar: [-4, 4],
  exploration: [-1, 2],
  rounds: [4096, 32_768],
}

/** Without what is as in the beginning. */
export function settingsQuery(settings: Settings): Record<string, string> {
  const keys = Object.keys(initialSettings) as (keyof Settings)[]
  return Object.fromEntries(
    keys.map((key) => [key, settings[key] === initialSettings[key] ? '' : String(settings[key])]),
  )
}

/** What the address says, where it says something possible. */
export function settingsFrom(query: Readonly<Record<string, string>>): Settings {
  const number = (key: keyof typeof LIMITS) => {
    const value = Number(query[key])
    const [low, high] = LIMITS[key]
    return (query[key] ?? '') !== '' && value >= low && value <= high ? value : initialSettings[key]
  }
  const { scenario } = query
  return {
    scenario:
      scenario !== undefined && Object.hasOwn(scenarios, scenario) ? (scenario as Settings['scenario']) : 'dosing',
    share: number('share'),
    bias: number('bias'),
    noise: number('noise'),
    mnar: number('mnar'),
    exploration: number('exploration'),
    rounds: number('rounds'),
  }
}

// What the page must know first, and the comparison of a demo.

import type { Comparisons, PageSettings } from '@primo/contract'
import { type Resource, useResource } from './resource.js'
import { get } from './service.js'

const EVERY = 3000
const SETTINGS_EVERY = 60_000

export function useSettings(): Resource<PageSettings> {
  return useResource('settings', (signal) => get<PageSettings>('/page/settings', signal), SETTINGS_EVERY)
}

/** Of a demo: live problems beside their shadow baselines; null where the service is none. */
export function useComparisons(): Resource<Comparisons> {
  const { value } = useSettings()
  const known = value?.comparison === true
  return useResource<Comparisons>(
    known ? 'comparisons' : 'no comparisons',
    (signal) => (known ? get<Comparisons>('/demo/comparison', signal) : Promise.resolve({ problems: [] })),
    known ? EVERY : 0,
  )
}

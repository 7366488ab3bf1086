// Above every tab while the baseline plays: a state that nobody should forget.

import type { ProblemInfo } from '@primo/contract'
import { Icon } from '../../components/icon.js'
import { problemHref } from '../../route.js'

export function BaselineBanner({ info: { problem, definition } }: { readonly info: ProblemInfo }) {
  const { guards, actions } = definition
  if (guards?.kill !== true) return null
  return (
    <p className="banner frozen" role="status">
      <Icon name="warning" />
      <span>
        The baseline plays: every decision is “{guards.baseline ?? actions[0]}”.{' '}
        <a href={problemHref(problem, 'operate')}>Change it under Operate</a>
      </span>
    </p>
  )
}

// What an operator does and watches.

import type { OperationList } from '@primo/contract'
import { useResource } from '../../api/resource.js'
import { get, problemPath } from '../../api/service.js'
import type { TabProps } from '../problem/tab-props.js'
import { LatencyPanel } from './latency-panel.js'
import './operate.css'
import { OperationsCard } from './operations-card.js'
import { OperationsLog } from './operations-log.js'
import { PoliciesCard } from './policies-card.js'
import { useOperation } from './use-operation.js'

const LOG_EVERY = 10_000

export function OperateTab({ problem, info, summary, epochs, reload }: TabProps) {
  const list = useResource(
    `operations ${problem}`,
    (signal) => get<OperationList>(problemPath(problem, '/operations'), signal),
    LOG_EVERY,
  )
  const operation = useOperation(() => {
    reload()
    list.reload()
  })
  return (
    <div className="columns">
      <div className="stack">
        <OperationsCard info={info} summary={summary} operation={operation} />
        <OperationsLog list={list} />
      </div>
      <div className="stack">
        <PoliciesCard summary={summary} epochs={epochs} operation={operation} />
        <LatencyPanel />
      </div>
    </div>
  )
}

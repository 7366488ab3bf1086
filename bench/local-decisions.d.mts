import type { DecisionBody, LocalDecision, PolicyDocument, ProblemDefinition } from '@primo/contract'
import type { Engine, GuardedDecider } from '@primo/core/engine'

export declare function localDecisions(
  document: PolicyDocument,
  run?: string,
): {
  readonly decide: (request: DecisionBody, decidedAt: number) => LocalDecision
  readonly engine: Engine
  readonly decider: GuardedDecider
}

export declare const lies: Readonly<
  Record<string, (decision: LocalDecision, definition: ProblemDefinition, random: () => number) => LocalDecision>
>

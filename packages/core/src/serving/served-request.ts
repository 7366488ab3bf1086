// A request to a served problem, what models that are asked aside said of it, and how its covariates were used.

import type { CovariateUse } from '../learner/decision.js'
import type { DecisionRequest } from '../learner/request.js'
import type { MemberPredictions, Prediction } from '../problem/imputer.js'

/** A decision request with what only a served problem knows; other fields are for the log. */
export interface ServedRequest extends Omit<DecisionRequest, 'id'> {
  /** Actions that are not eligible now. */
  readonly excluded?: readonly string[]
  /** The decision counts only once it is activated. */
  readonly deferActivation?: boolean
  /** Mode shadow: the action that the caller played. */
  readonly served?: { readonly action: string; readonly propensity?: number }
}

/** What models that were asked aside said for one request. */
export interface AskedAside {
  readonly predictions: Readonly<Record<string, Prediction | MemberPredictions | null>>
  readonly notes: Readonly<Record<string, ModelNote>>
}

/** How a model that was asked aside gave its value. */
export interface ModelNote {
  /** 'cache': an older answer stands in for (some member of) the model. */
  readonly source: 'pretrained' | 'cache' | 'constant'
  /** Why the model, or some of its members, gave no answer of its own. */
  readonly reason?: string
  /** The standard deviation that the model gave. */
  readonly sd?: number
}

/** How a decision used a covariate; its source may also be caller, cache or baseline. */
export interface ServedUse extends Omit<CovariateUse, 'source'> {
  readonly source: string
}

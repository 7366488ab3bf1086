// Decisions of a policy document as a caller states them, and lies about them: for the benchmark and for tests.

import { claimOf, createGuardedDecider, Proof, proofText, servedEngine } from '@primo/core/engine'

/** Decides as a local client does; gives the items of an upload. */
export function localDecisions(document, run = 'run') {
  const { definition, state, key, caller, policy } = document
  const engine = servedEngine(definition)
  const decider = createGuardedDecider({ definition, engine, state, root: key })
  const proof = new Proof()
  let count = 0

  /** `decidedAt`: by the caller's clock. */
  function decide(request, decidedAt) {
    const id = `${caller}~${run}~${(count++).toString(36)}`
    const made = decider.decide(request, id)
    const claim = claimOf(made, engine.encoding.actions, state.rewardModel !== null)
    proof.decision(key, made)
    return sealed({ id, decidedAt, request, ...claim }, proof.high, proof.low)
  }

  function sealed(decision, high, low) {
    const { id, decidedAt, request } = decision
    proof.begin(high, low)
    proof.text(proofText(id, policy, decidedAt, JSON.stringify(request)))
    return { ...decision, proof: proof.end() }
  }

  return { decide, engine, decider }
}

/** Never the same number. */
const another = (value) => (value === 0 ? 0.1 : value / 2)

/** Ways to lie in one field of a decision; each makes another decision of it. */
export const lies = {
  id: (d) => ({ ...d, id: `${d.id}0` }),
  decidedAt: (d) => ({ ...d, decidedAt: d.decidedAt - 1 }),
  action: (d, { actions }) => ({ ...d, action: actions[(actions.indexOf(d.action) + 1) % actions.length] }),
  propensity: (d) => ({ ...d, propensity: d.propensity > 0.5 ? d.propensity - 1e-6 : d.propensity + 1e-6 }),
  score: (d) => ({ ...d, score: d.score === null ? 0.5 : d.score + 1e-6 }),
  used: (d) => ({ ...d, used: d.used.map((value, k) => (k === 0 ? another(value) : value)) }),
  proof: (d) => ({ ...d, proof: d.proof.replace(/.$/, (digit) => (digit === '0' ? '1' : '0')) }),
  context: (d, _, random) => {
    const names = Object.keys(d.request.context)
    const name = names[Math.floor(random() * names.length)]
    const value = d.request.context[name]
    const other = typeof value === 'number' ? another(value) : !value
    return { ...d, request: { ...d.request, context: { ...d.request.context, [name]: other } } }
  },
  covariate: (d) => {
    const [name] = Object.keys(d.request.covariates ?? {})
    const other = d.request.covariates[name] === null ? 0.25 : null
    return { ...d, request: { ...d.request, covariates: { ...d.request.covariates, [name]: other } } }
  },
  eligible: (d, { actions }) => ({ ...d, request: { ...d.request, excluded: [actions.find((a) => a !== d.action)] } }),
  subject: (d) => ({ ...d, request: { ...d.request, subject: 'somebody else' } }),
  activation: (d) => ({ ...d, request: { ...d.request, deferActivation: true } }),
}

// How well observation probabilities predict what was observed: log loss, Brier score and the area under the ROC curve (the chance
// that an observed row has a higher probability than a missing one, ties counting half).

export interface ObservationQuality {
  /** Mean of -log of the probability given to what happened; that of a constant for comparison. */
  readonly logLoss: number
  readonly constantLogLoss: number
  readonly brier: number
  /** null: all rows are alike. */
  readonly auc: number | null
}

export function observationQuality(probabilities: ArrayLike<number>, observed: ArrayLike<number>): ObservationQuality {
  const rows = observed.length
  let logLoss = 0
  let brier = 0
  let seen = 0
  for (let i = 0; i < rows; i++) {
    const b = observed[i]! === 1
    const e = Math.min(1 - 1e-12, Math.max(1e-12, probabilities[i]!))
    logLoss -= Math.log(b ? e : 1 - e)
    brier += ((b ? 1 : 0) - probabilities[i]!) ** 2
    if (b) seen++
  }
  const share = seen / rows
  const entropy = share === 0 || share === 1 ? 0 : -share * Math.log(share) - (1 - share) * Math.log(1 - share)
  return {
    logLoss: logLoss / rows,
    constantLogLoss: entropy,
    brier: brier / rows,
    auc: seen === 0 || seen === rows ? null : areaUnderCurve(probabilities, observed, seen),
  }
}

/** By ranks: (sum of the observed rows' mid-ranks - n1 (n1 + 1)/2) / (n1 n0). */
function areaUnderCurve(probabilities: ArrayLike<number>, observed: ArrayLike<number>, seen: number): number {
  const rows = observed.length
  const order = Array.from({ length: rows }, (_, i) => i).sort((a, b) => probabilities[a]! - probabilities[b]!)
  let sum = 0
  for (let from = 0; from < rows; ) {
    let to = from
    let among = 0
    while (to < rows && probabilities[order[to]!] === probabilities[order[from]!]) {
      if (observed[order[to]!] === 1) among++
      to++
    }
    sum += (among * (from + 1 + to)) / 2
    from = to
  }
  return (sum - (seen * (seen + 1)) / 2) / (seen * (rows - seen))
}

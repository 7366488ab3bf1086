// The sentence of a problem, with how sure it is.

import type { Verdict } from './verdict.js'

export function VerdictView({ verdict: { tone, sentence, detail } }: { readonly verdict: Verdict }) {
  return (
    <div className={`verdict ${tone}`} data-verdict={tone}>
      <p className="sentence">{sentence}</p>
      <p className="small quiet">{detail}</p>
    </div>
  )
}

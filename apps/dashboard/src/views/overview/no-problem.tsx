// A service without a problem: what to do first.

import { ButtonLink } from '../../components/button.js'
import { CodeBlock } from '../../components/code-block.js'
import { EmptyState } from '../../components/empty-state.js'

export function NoProblem() {
  return (
    <div className="stack">
      <h1>Good decisions when part of the input is missing</h1>
      <EmptyState title="No problem is defined yet">
        <p>
          A problem is one kind of decision that is made again and again: which dose, which price, which offer. Define
          one with a form or from a table of past decisions.
        </p>
        <ButtonLink kind="primary" icon="plus" href="#/new">
          New problem
        </ButtonLink>
        <p>Or watch one learn:</p>
        <CodeBlock label="Start the demo" text="npx @primo/cli demo" />
      </EmptyState>
    </div>
  )
}

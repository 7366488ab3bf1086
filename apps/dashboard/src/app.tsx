// The page: which view is shown, and the way between them.

import { lazy, Suspense, useEffect, useMemo } from 'react'
import { AccessContext, accessOf, openAccess } from './access.js'
import { useAddress } from './address.js'
import { reloadAll } from './api/resource.js'
import { useSettings } from './api/use-settings.js'
import { PageFrame } from './frame/page-frame.js'
import { ViewBoundary } from './frame/view-boundary.js'
import { type Route, routeOf } from './route.js'
import { Failure, needsKey } from './views/failure.js'
import { NotFound } from './views/not-found.js'
import { ProblemLinks } from './views/sidebar/problem-links.js'
import { SignedIn } from './views/sidebar/signed-in.js'
import { type ListedProblem, useProblems } from './views/sidebar/use-problems.js'

const Overview = lazy(async () => ({ default: (await import('./views/overview/overview.js')).Overview }))
const ProblemView = lazy(async () => ({ default: (await import('./views/problem/problem-view.js')).ProblemView }))
const NewProblem = lazy(async () => ({ default: (await import('./views/define/define-view.js')).NewProblem }))

export function App() {
  const { path } = useAddress()
  const settings = useSettings().value
  const { value, failure } = useProblems()
  const route = routeOf(path)
  const at = route.view === 'problem' ? route.problem : null
  useEffect(() => {
    document.title = at === null ? 'Primo' : `${at} · Primo`
  }, [at])
  const access = useMemo(() => (settings === null ? openAccess : accessOf(settings)), [settings])
  return (
    <AccessContext value={access}>
      <PageFrame
        here={route.view === 'overview' ? 'overview' : null}
        problems={value === null ? null : <ProblemLinks problems={value} here={at} />}
        foot={access.keys ? <SignedIn /> : null}
      >
        {failure === null || (at !== null && !needsKey(failure)) ? null : (
          <Failure failure={failure} onRetry={reloadAll} />
        )}
        {failure !== null && needsKey(failure) ? null : (
          <ViewBoundary path={path}>
            <Suspense fallback={<Loading />}>
              <View route={route} problems={value} />
            </Suspense>
          </ViewBoundary>
        )}
      </PageFrame>
    </AccessContext>
  )
}

/** The list may still be on its way. */
interface ViewProps {
  readonly route: Route
  readonly problems: readonly ListedProblem[] | null
}

function Loading() {
  return <p role="status">Loading.</p>
}

function View({ route, problems }: ViewProps) {
  switch (route.view) {
    case 'overview':
      return problems === null ? <Loading /> : <Overview problems={problems} />
    case 'new':
      return <NewProblem />
    case 'problem':
      return (
        <ProblemView
          key={route.problem}
          problem={route.problem}
          place={route.place}
          id={route.id}
          trend={problems?.find(({ problem }) => problem === route.problem)?.trend ?? null}
        />
      )
    case 'unknown':
      return <NotFound what="such page" />
  }
}

/** Failed and flaky tests with the first lines of their errors. */
import type { ListedTest } from '#shared/context/context-wire.ts';
import type { Html } from '#shared/engine/html/html.ts';
import { objectNameIn } from '#shared/results/test-files.ts';
import type { ProjectVisit } from '#shared/sign-in/visit.ts';
import { withoutAnsi } from './ansi.tsx';
import { testHref, testOfRunHref } from './hrefs.ts';
import { OutcomeBadge } from './outcome.tsx';
import { traceHref } from './trace-viewer.ts';

const FIRST_LINES = 3;

interface Props {
  readonly visit: ProjectVisit;
  readonly tests: readonly ListedTest[];
}

export const FailureList = ({ visit, tests }: Props): Html => (
  <>
    {tests.map((test) => (
      <Failure visit={visit} test={test} />
    ))}
  </>
);

function Failure({ visit, test }: { readonly visit: ProjectVisit; readonly test: ListedTest }): Html {
  const outcome = test.test.status === 'failed' ? 'failed' : 'flaky';
  const message = test.error?.message ?? '';
  const traces = test.assets?.traces ?? [];
  return (
    <article class={`card ${outcome}`}>
      <h3>
        <OutcomeBadge outcome={outcome} /> <a href={testOfRunHref(visit, test)}>{test.test.title.join(' › ')}</a>
      </h3>
      <p class="soft">
        {test.spec}
        {test.environment?.project && ` · ${test.environment.project}`}
        {test.test.totalAttempts > 1 && ` · ${test.test.totalAttempts} attempts`} ·{' '}
        <a href={testHref(visit, test.meta.signature)}>History</a>
        {traces.map(({ url }) => (
          <>
            {' '}
            · <a href={traceHref(visit, test.instanceId, objectNameIn(url))}>Open trace</a>
          </>
        ))}
      </p>
      {message !== '' && <pre class="wrap">{withoutAnsi(message).split('\n').slice(0, FIRST_LINES).join('\n')}</pre>}
    </article>
  );
}

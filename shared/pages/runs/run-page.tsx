/** One run: its outcome, its failures compared with an earlier run, its spec files and its machines. */
import type * as z from 'zod';
import { may } from '#shared/access/may.ts';
import type { Child, Html } from '#shared/engine/html/html.ts';
import { Duration, FullTime } from '#shared/pages/design/format.tsx';
import { importHref, runPageHref } from '#shared/pages/shell/hrefs.ts';
import { RefusalMessage } from '#shared/pages/shell/refused-form.tsx';
import type { RefusedForm } from '#shared/pages/shell/view.ts';
import type { ComparedOrProblem } from '#shared/results/compare-runs.ts';
import type { RunProgress } from '#shared/results/live-counters.ts';
import type { WholeRun } from '#shared/results/run-wire.ts';
import type { Quarantined } from '#shared/rules/list-quarantined.ts';
import type { ProjectVisit } from '#shared/sign-in/visit.ts';
import { Comparison, type ComparisonProps } from './comparison-part.tsx';
import { QuarantinedTests } from './quarantined-tests.tsx';
import { RunHead } from './run-head.tsx';
import { Machines, SpecTable } from './run-specs.tsx';
import { totalsOfGroups } from './runs-page.tsx';

type Run = z.infer<typeof WholeRun>;

interface Props {
  readonly visit: ProjectVisit;
  readonly run: Run;
  readonly compared: ComparedOrProblem;
  readonly query: ComparisonProps['query'];
  readonly traceOf: ComparisonProps['traceOf'];
  readonly stripOf: ComparisonProps['stripOf'];
  readonly now: number;
  readonly refused: RefusedForm | undefined;
  /** The latest import of the run, if there is one. */
  readonly importId: string | undefined;
  /** Display name of an actor. */
  readonly nameOf: (actor: string) => string;
  readonly quarantined: Quarantined;
}

export const RunPage = ({
  visit,
  run,
  compared,
  query,
  now,
  refused,
  nameOf,
  quarantined,
  importId,
  ...of
}: Props): Html => (
  <>
    <h1>{run.meta.title ?? run.meta.ciBuildId}</h1>
    <RunHead visit={visit} runId={run.runId} progress={progressOf(run)} />
    <RefusalMessage refused={refused} of="submitCancelRun" />
    <Ending run={run} nameOf={nameOf} />
    <RunFacts run={run} />
    {importId !== undefined && (
      <p>
        This run was imported. <a href={importHref(visit, importId)}>Show the import</a>
      </p>
    )}
    <RunActions visit={visit} run={run} />
    <Comparison visit={visit} compared={compared} query={query} unreported={unreportedIn(run)} {...of} />
    <QuarantinedTests visit={visit} {...quarantined} />
    <h2>Spec files</h2>
    <SpecTable visit={visit} run={run} />
    <Machines visit={visit} run={run} now={now} />
  </>
);

const Ending = ({ run, nameOf }: Pick<Props, 'run' | 'nameOf'>): Html => (
  <>
    {run.cancellation && (
      <p class="notice">
        Cancelled by {nameOf(run.cancellation.actor)} at <FullTime at={run.cancellation.canceledAt} />. Reason:{' '}
        {run.cancellation.reason}
      </p>
    )}
    {run.timeout.isTimeout && (
      <p class="notice">Timed out: no machine reported results within the project's inactivity timeout.</p>
    )}
  </>
);

/** Converts a run to the shape that polls of its progress return. */
function progressOf(run: Run): RunProgress {
  const { specs, completeSpecs, ...tests } = totalsOfGroups(run);
  return { ...run, specFiles: { total: specs, complete: completeSpecs }, tests };
}

function unreportedIn(run: Run): number {
  const { tests, overall } = totalsOfGroups(run);
  return run.completionState === 'IN_PROGRESS' ? 0 : Math.max(0, tests - overall);
}

/** Display names for the short names that reporters send. */
const FRAMEWORKS: Readonly<Record<string, string>> = { pw: 'Playwright' };

const RunFacts = ({ run }: Pick<Props, 'run'>): Html => {
  const { commit, pr, ciBuildId, framework } = run.meta;
  return (
    <dl class="facts">
      <Fact name="Build">{ciBuildId}</Fact>
      <Fact name="Commit">
        {commit.branch ?? 'no branch'} {commit.sha && <code>{commit.sha.slice(0, 7)}</code>} {commit.authorName}
      </Fact>
      {pr && (
        <Fact name="Pull request">
          #{pr.id} {pr.title}
        </Fact>
      )}
      <Fact name="Started">
        <FullTime at={run.createdAt} />
      </Fact>
      <Fact name="Duration">
        <Duration milliseconds={run.durationMs} />
      </Fact>
      <Fact name="Groups">{run.groups.map(({ groupId }) => groupId).join(', ')}</Fact>
      <Fact name="Framework">
        {FRAMEWORKS[framework.type] ?? framework.type} {framework.version}
      </Fact>
      {run.tags.length > 0 && <Fact name="Tags">{run.tags.join(', ')}</Fact>}
    </dl>
  );
};

const Fact = ({ name, children }: { readonly name: string; readonly children?: Child }): Html => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);

/** Whether the run has failures, or may still get some because it is in progress. */
function mayHaveFailures(run: Run): boolean {
  const { failures, skipped, flaky } = totalsOfGroups(run);
  return run.completionState === 'IN_PROGRESS' || failures + skipped + flaky > 0;
}

const FailuresAsText = ({ visit, run }: Pick<Props, 'visit' | 'run'>): Html => (
  <>
    <a class="button quiet" href={runPageHref(visit, run.runId, 'context.md')}>
      Failures as Markdown
    </a>
    <button type="button" class="quiet" hidden data-copy-from={runPageHref(visit, run.runId, 'context.md')}>
      Copy for AI
    </button>
  </>
);

const RunActions = ({ visit, run }: Pick<Props, 'visit' | 'run'>): Html => (
  <div class="actions">
    {mayHaveFailures(run) && <FailuresAsText visit={visit} run={run} />}
    {may(visit.person, 'runs:write') && run.completionState === 'IN_PROGRESS' && (
      <form method="post" action={runPageHref(visit, run.runId, 'cancel')}>
        <button type="submit" class="danger">
          Cancel this run
        </button>
      </form>
    )}
    {may(visit.person, 'runs:write') && (
      <a class="button quiet" href={runPageHref(visit, run.runId, 'delete')}>
        Delete…
      </a>
    )}
  </div>
);

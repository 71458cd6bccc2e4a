/** One run: its outcome, its failures compared with an earlier run, its spec files and its machines. */

import type * as z from 'zod';
import type { Child, Html } from '#shared/engine/html/html.ts';
import { Ago, FullTime, formatCount, formatDuration, formatQuantity } from '#shared/pages/design/format.tsx';
import { Icon } from '#shared/pages/design/icon.tsx';
import { OutcomeBadge } from '#shared/pages/design/outcome.tsx';
import { EmptyState, Fact, Notice, PageHead, Panel, Tile } from '#shared/pages/design/parts.tsx';
import { getRunName } from '#shared/pages/design/run-name.ts';
import { getRunOutcome } from '#shared/pages/design/run-outcome.ts';
import { QUARANTINE_MEANS } from '#shared/pages/rules/rule-names.tsx';
import { CiLinks, PullRequestLink } from '#shared/pages/shell/ci-links.tsx';
import { CommitLinks } from '#shared/pages/shell/commit-links.tsx';
import { linkToImports, linkToTestOfRun } from '#shared/pages/shell/hrefs.ts';
import { RefusalMessage } from '#shared/pages/shell/refused-form.tsx';
import { countShownTests, sumGroups } from '#shared/pages/shell/run-totals.ts';
import type { WithForms } from '#shared/pages/shell/view.ts';
import type { BaseChoice } from '#shared/results/comparisons/choose-base.ts';
import type { RunComparison } from '#shared/results/comparisons/comparison-wire.ts';
import { writeAnswer } from '#shared/results/failures/answer.ts';
import type { RunPlan } from '#shared/results/runs/live-counters.ts';
import type { RunProblem } from '#shared/results/runs/problem-wire.ts';
import type { WholeRun } from '#shared/results/runs/run-wire.ts';
import { buildTimeline, type Timeline } from '#shared/results/runs/timeline.ts';
import type { QuarantinedList } from '#shared/rules/list-quarantined.ts';
import type { ProjectVisit } from '#shared/sign-in/visit.ts';
import { Answer } from './answer-part.tsx';
import { BasePanel } from './base-panel.tsx';
import { Comparison, type ComparisonProps, getTotal } from './comparison-part.tsx';
import { formatDurationNote, measureRun } from './duration-note.ts';
import { OriginNote } from './origin-note.tsx';
import type { ComparedRun } from './read-compared-run.ts';
import { RunActions } from './run-actions.tsx';
import { RunHead } from './run-head.tsx';
import { Machines } from './run-machines.tsx';
import { Problems } from './run-problems.tsx';
import { SpecTable } from './run-specs.tsx';
import { RunTabs } from './run-tabs.tsx';
import { type PlannedShards, Shards } from './shards-panel.tsx';
import { Tries, TriesNote } from './tries-of-build.tsx';

interface Props extends WithForms<ProjectVisit> {
  readonly run: z.infer<typeof WholeRun>;
  readonly compared: ComparedRun;
  readonly query: ComparisonProps['query'];
  /** What the person entered to choose another base, and the runs to choose from if the person asked for them. */
  readonly chosenBase: string | undefined;
  readonly choices: readonly BaseChoice[] | undefined;
  /** Whether the person asked for all spec files. */
  readonly showsAllFiles: boolean;
  readonly now: number;
  /** The latest import of the run, if there is one. */
  readonly importId: string | undefined;
  readonly nameOf: (actor: string) => string;
  readonly quarantined: QuarantinedList;
  /** Why the run failed other than by its tests, and warnings. Secrets are masked. */
  readonly problems: readonly RunProblem[];
  readonly shards: PlannedShards | undefined;
  readonly plan: RunPlan;
  readonly isDefaultUnused: boolean;
  /** While the run is in progress, the page is read again when it changes. */
  readonly liveState: unknown;
}

export function RunPage(props: Props): Html {
  const { visit, run, compared, query, now, refused, nameOf, problems } = props;
  const { comparison, evidence, absentCount } = compared;
  const { meta, runId } = run;
  const timeline = buildTimeline(run, now);
  const isInProgress = run.completionState === 'IN_PROGRESS';
  const isChoosingBase = props.choices !== undefined || compared.problem !== undefined;
  const basePanel = <BasePanel {...props} enteredBase={props.chosenBase} />;
  const { specs, completeSpecs, ...groupTotals } = sumGroups(run);
  const tests = countShownTests(run);
  const unreportedCount = isInProgress ? 0 : groupTotals.tests - groupTotals.overall;
  return (
    <>
      <PageHead
        title={getRunName(run)}
        outcome={getRunOutcome(run)}
        meta={
          <>
            {isInProgress && <OutcomeBadge outcome="running" label="Running" />}
            <CommitLinks visit={visit} commit={meta.commit} pr={meta.pr} />
            <PullRequestLink remoteOrigin={meta.commit.remoteOrigin} id={meta.pr?.id} />
            <CiLinks pages={meta.ciPages} />
            {run.origin && <OriginNote origin={run.origin} />}
            <span>
              <Icon name="clock" />
              <Ago at={run.createdAt} now={now} />
            </span>
          </>
        }
        actions={
          <RunActions
            visit={visit}
            run={run}
            mayHaveFailures={isInProgress || tests.failures + tests.skipped + tests.flaky > 0}
          />
        }
      />
      <RefusalMessage refused={refused} of="submitCancelRun" title="The run was not cancelled." />
      <Ending run={run} nameOf={nameOf} />
      <TriesNote {...props} />
      <Answer
        visit={visit}
        runId={runId}
        sentences={writeAnswer({
          comparison,
          nextOf: evidence.nextOf,
          isBaseNewer: comparison.base !== null && comparison.base.createdAt > run.createdAt,
          problems: problems.filter(({ failsRun }) => failsRun).length,
        })}
        chosenBase={query.base_run_id}
        quarantineOf={evidence.quarantineOf}
        now={now}
      />
      <RunHead
        visit={visit}
        runId={runId}
        progress={{ ...run, specFiles: { total: specs, complete: completeSpecs }, tests, plan: props.plan }}
        liveState={props.liveState}
        quarantined={{ count: props.quarantined.tests.length, hasMore: props.quarantined.hasMore }}
        failureNote={isInProgress ? undefined : renderFailureNote(comparison)}
      >
        <DurationTile {...props} />
        <MachinesTile run={run} timeline={timeline} />
      </RunHead>
      <RunTabs visit={visit} run={run} current="failures" />
      {isChoosingBase && basePanel}
      <div class="columns">
        <div>
          <Problems problems={problems} />
          {absentCount > 0 && (
            <Notice>
              {!comparison.isWhole && 'At least '}
              {formatQuantity(absentCount, 'test')} that failed in the base run {absentCount === 1 ? 'is' : 'are'} in
              spec files that are not part of this run.
            </Notice>
          )}
          {comparison.sections.every(({ total }) => total === 0) ? (
            <NoFailures {...props} />
          ) : (
            <Comparison visit={visit} compared={compared} query={query} evidence={evidence} now={now} />
          )}
          {unreportedCount > 0 && !problems.some(({ kind }) => kind === 'missingResults') && (
            <Notice tone="flaky">
              {formatQuantity(unreportedCount, 'expected test')} never reported a result. See the{' '}
              <a href="#spec-files">spec files</a>.
            </Notice>
          )}
          <QuarantinedTests {...props} />
          <SpecTable visit={visit} run={run} isTry={Boolean(run.build)} isWhole={props.showsAllFiles} />
        </div>
        <aside class="stack" aria-label="About this run">
          <Tries {...props} />
          {!isChoosingBase && basePanel}
          <Machines visit={visit} run={run} timeline={timeline} />
          <Shards plan={props.shards} />
          <Details {...props} />
        </aside>
      </div>
    </>
  );
}

function NoFailures({ run, quarantined }: Props): Html {
  if (run.completionState === 'IN_PROGRESS')
    return (
      <EmptyState icon="circle-check" title="No failures so far">
        <p>Failures appear here as soon as they are reported.</p>
      </EmptyState>
    );
  if (run.status === 'FAILED')
    return (
      <EmptyState icon="circle-check" title="No failed tests">
        <p>The run failed for another reason than its tests.</p>
      </EmptyState>
    );
  const but = quarantined.tests.length > 0 ? ', except quarantined ones' : '';
  return (
    <EmptyState icon="circle-check" title="No failures">
      <p>{`All tests that ran have passed${but}.`}</p>
    </EmptyState>
  );
}

/** A summary of the failures, such as `2 new · 1 still failing`. */
function renderFailureNote(comparison: RunComparison): Child {
  if (!comparison.base) return 'nothing to compare with';
  const newCount = getTotal(comparison, 'new');
  const knownCount = getTotal(comparison, 'still_failing');
  const fixedCount = getTotal(comparison, 'fixed');
  return (
    <>
      {newCount > 0 && <b class="word failed">{formatCount(newCount)} new</b>}
      {newCount > 0 && knownCount > 0 && ' · '}
      {knownCount > 0 && `${formatCount(knownCount)} still failing`}
      {fixedCount > 0 && `${newCount + knownCount > 0 ? ' · ' : ''}${formatCount(fixedCount)} fixed`}
    </>
  );
}

function DurationTile({ run, compared: { baseRun } }: Props): Html {
  const { durationMs } = run;
  const base = baseRun && measureRun(baseRun);
  if (run.completionState === 'IN_PROGRESS') return <></>;
  if (durationMs === null) return <Tile label="Duration" value="–" note="not in the report" />;
  const note = run.completionState === 'CANCELED' ? 'until it was cancelled' : formatDurationNote(run, base);
  return <Tile label="Duration" value={formatDuration(durationMs)} note={note} />;
}

function MachinesTile({ run, timeline }: Pick<Props, 'run'> & { readonly timeline: Timeline }): Html {
  const { machines, length } = timeline;
  if (machines.length < 2 || run.durationMs === null) return <></>;
  const busyShare = machines.reduce((sum, one) => sum + one.busy, 0) / (machines.length * Math.max(1, length));
  return (
    <Tile
      label="Machines"
      value={formatCount(machines.length)}
      note={`busy ${Math.round(busyShare * 100)} % of the time`}
    />
  );
}

const Ending = ({ run, nameOf }: Pick<Props, 'run' | 'nameOf'>): Html => (
  <>
    {run.cancellation && (
      <Notice>
        Cancelled
        {run.cancellation.reason === 'failFast' ? ' after the first failure' : ` by ${nameOf(run.cancellation.actor)}`}{' '}
        on <FullTime at={run.cancellation.canceledAt} />.
      </Notice>
    )}
    {run.timeout.isTimeout && (
      <Notice tone="flaky">
        This run timed out, because no machine reported results within the project’s inactivity timeout.
      </Notice>
    )}
  </>
);

const QuarantinedTests = ({ visit, quarantined: { tests, hasMore } }: Props): Html =>
  tests.length === 0 ? (
    <span hidden />
  ) : (
    <Panel
      title="Quarantined"
      note={`${hasMore ? 'More than ' : ''}${formatQuantity(tests.length, 'failure')}. ${QUARANTINE_MEANS}`}
      isFlush
    >
      <ul class="rows">
        {tests.map((test) => (
          <li>
            <a href={linkToTestOfRun(visit, test)}>{test.title.join(' › ')}</a>
            <small>
              {test.spec} · {test.groupId}
            </small>
          </li>
        ))}
      </ul>
    </Panel>
  );

/** Display names for the short names that reporters send. */
const FRAMEWORKS: Readonly<Record<string, string>> = { pw: 'Playwright' };

const Details = ({ visit, run, importId }: Props): Html => {
  const { pr, ciBuildId, framework } = run.meta;
  return (
    <Panel title="Details">
      <dl class="facts">
        <Fact name="Build">
          <code>{ciBuildId}</code>
        </Fact>
        {pr?.title && <Fact name="Pull request">{pr.title}</Fact>}
        <Fact name="Started">
          <FullTime at={run.createdAt} />
        </Fact>
        <Fact name="Groups">{run.groups.map(({ groupId }) => groupId).join(', ')}</Fact>
        <Fact name="Framework">
          {FRAMEWORKS[framework.type] ?? framework.type} {framework.version}
        </Fact>
        {run.tags.length > 0 && (
          <Fact name="Tags">
            <span class="tags">
              {run.tags.map((tag) => (
                <span class="tag">{tag}</span>
              ))}
            </span>
          </Fact>
        )}
        {importId !== undefined && (
          <Fact name="Source">
            imported, <a href={linkToImports(visit, importId)}>show the import</a>
          </Fact>
        )}
      </dl>
    </Panel>
  );
};

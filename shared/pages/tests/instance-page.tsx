/** One spec file of a run with its tests, failed ones first. */
import type { Html } from '#shared/engine/html/html.ts';
import type { Artifact } from '#shared/model/results/artifact.ts';
import { countRetries, findDisplayedError, sumDurations } from '#shared/model/results/attempt.ts';
import type { InstanceDetails, RecordedTest } from '#shared/model/results/instance-details.ts';
import { type Counters, countTests } from '#shared/model/results/outcomes.ts';
import { stripAnsi } from '#shared/pages/design/ansi.tsx';
import { DataTable, numbers, wideNumbers } from '#shared/pages/design/data-table.tsx';
import { FullTime, formatCount, formatDuration, formatQuantity } from '#shared/pages/design/format.tsx';
import { Icon } from '#shared/pages/design/icon.tsx';
import { OutcomeBadge, type ShownOutcome, toShownOutcome } from '#shared/pages/design/outcome.tsx';
import { Fact, Notice, PageHead, Panel, Summary, Tile } from '#shared/pages/design/parts.tsx';
import { ProportionBar } from '#shared/pages/design/proportion-bar.tsx';
import {
  addQuery,
  linkToFilePage,
  linkToInstance,
  linkToNewShare,
  linkToRun,
  linkToTestOfRun,
} from '#shared/pages/shell/hrefs.ts';
import { mayAdd } from '#shared/pages/shell/may-add.ts';
import { NumberedLinks } from '#shared/pages/shell/paging.tsx';
import type { ProjectVisit } from '#shared/sign-in/visit.ts';

interface Props {
  readonly visit: ProjectVisit;
  readonly details: InstanceDetails;
  readonly runName: string;
  readonly stdout: Artifact | undefined;
  readonly page: number;
  readonly rows: number;
}

const ORDER: readonly ShownOutcome[] = ['failed', 'flaky', 'running', 'skipped', 'pending', 'passed'];

const getTestOutcome = (test: RecordedTest): ShownOutcome => toShownOutcome(test.outcome, test.flaky);

export function InstancePage({ visit, details, runName, stdout, page, rows }: Props): Html {
  const { instance } = details;
  const counts = countTests(
    details.tests.map(({ outcome, flaky, attempts }) => ({ outcome, flaky, retries: countRetries(attempts) })),
  );
  const tests = details.tests.toSorted(
    (one, other) => ORDER.indexOf(getTestOutcome(one)) - ORDER.indexOf(getTestOutcome(other)),
  );
  const pageHref = linkToInstance(visit, instance.instanceId);
  return (
    <>
      <PageHead
        title={instance.spec}
        outcome={{ outcome: getInstanceOutcome(details, counts) }}
        meta={
          <>
            <span>{instance.groupId}</span>
            <a href={linkToRun(visit, instance.runId)}>
              <Icon name="circle-play" />
              {runName}
            </a>
          </>
        }
        actions={
          mayAdd(visit, 'shares:write') && (
            <a class="button quiet" href={linkToNewShare(visit, { instanceId: instance.instanceId })}>
              <Icon name="external-link" />
              Share…
            </a>
          )
        }
      />
      <Numbers details={details} counts={counts} />
      <div class="columns">
        <div>
          {tests.length === 0 && <Notice>No test of this spec file has reported a result.</Notice>}
          <TestTable
            visit={visit}
            instanceId={instance.instanceId}
            tests={tests.slice(page * rows, (page + 1) * rows)}
          />
          <NumberedLinks
            page={page}
            nextPage={tests.length > (page + 1) * rows && page + 1}
            href={(to) => addQuery(pageHref, { page: to })}
          />
        </div>
        <aside class="stack" aria-label="About this spec file">
          <Details visit={visit} details={details} stdout={stdout} />
        </aside>
      </div>
    </>
  );
}

/** As the page of the run shows the spec file: a test that could not run counts as a failure. */
function getInstanceOutcome(
  { instance: { claims, completedAt } }: InstanceDetails,
  { failures, skipped, flaky }: Counters,
): ShownOutcome {
  if (failures + skipped > 0) return 'failed';
  if (completedAt === undefined) return claims.length > 0 ? 'running' : 'pending';
  return flaky > 0 ? 'flaky' : 'passed';
}

function Numbers({ details, counts }: Pick<Props, 'details'> & { readonly counts: Counters }): Html {
  const { expectedTests, tests } = details;
  const total = Math.max(expectedTests, counts.overall);
  const others = [
    counts.pending > 0 && `${formatCount(counts.pending)} skipped`,
    counts.skipped > 0 && `${formatCount(counts.skipped)} not run`,
  ].filter(Boolean);
  return (
    <Summary below={<ProportionBar counts={counts} total={total} />}>
      <Tile
        label="Failed"
        tone={counts.failures > 0 ? 'failed' : undefined}
        value={
          <>
            {formatCount(counts.failures)} <small>of {formatQuantity(total, 'test')}</small>
          </>
        }
      />
      <Tile
        label="Flaky"
        tone={counts.flaky > 0 ? 'flaky' : undefined}
        value={formatCount(counts.flaky)}
        note={counts.flaky > 0 && 'passed on a retry'}
      />
      <Tile label="Passed" value={formatCount(counts.passes - counts.flaky)} note={others.join(', ')} />
      {/* The page of the run shows the duration of the spec file, which has pauses between tests and may have concurrent ones. */}
      <Tile
        label="Time of tests"
        value={formatDuration(sumDurations(tests.flatMap(({ attempts }) => attempts)))}
        note="all attempts together"
      />
    </Summary>
  );
}

const Details = ({
  visit,
  details: { instance, platform },
  stdout,
}: Pick<Props, 'visit' | 'details' | 'stdout'>): Html => (
  <Panel title="Details">
    <dl class="facts">
      <Fact name="Group">{instance.groupId}</Fact>
      <Fact name="Platform">
        {[platform.osName, platform.browserName, platform.browserVersion].filter(Boolean).join(' · ') || 'unknown'}
      </Fact>
      <Fact name="Machines">{instance.claims.map(({ machineId }) => machineId).join(', ') || 'none yet'}</Fact>
      {instance.completedAt !== undefined && (
        <Fact name="Finished">
          <FullTime at={instance.completedAt} />
        </Fact>
      )}
      {stdout && (
        <Fact name="Output">
          <a href={linkToFilePage(visit, instance.instanceId, stdout.objectName)} data-view>
            Show the standard output
          </a>
        </Fact>
      )}
    </dl>
  </Panel>
);

interface TableProps {
  readonly visit: ProjectVisit;
  readonly instanceId: string;
  readonly tests: readonly RecordedTest[];
}

const TestTable = ({ visit, instanceId, tests }: TableProps): Html => (
  <DataTable
    label="Tests"
    caption="Tests of this spec file, failed ones first"
    columns={['Outcome', 'Test', ...numbers('Duration'), ...wideNumbers('Attempts')]}
  >
    {tests.map((test) => {
      const error = findDisplayedError(test.attempts);
      return (
        <tr>
          <td>
            <OutcomeBadge outcome={getTestOutcome(test)} />
          </td>
          <th scope="row">
            <a href={linkToTestOfRun(visit, { instanceId, testId: test.testId })}>{test.title.join(' › ')}</a>
            {error && (
              <>
                <br />
                <small>{stripAnsi(error.message).split('\n', 1)[0]}</small>
              </>
            )}
          </th>
          <td class="number">{formatDuration(sumDurations(test.attempts))}</td>
          <td class="number wide">{test.attempts.length}</td>
        </tr>
      );
    })}
  </DataTable>
);

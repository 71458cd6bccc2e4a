/** One spec file of a run with its tests, failed ones first. */
import { may } from '#shared/access/may.ts';
import type { Html } from '#shared/engine/html/html.ts';
import type { Artifact } from '#shared/model/results/artifact.ts';
import { countRetries, findDisplayedError, sumDurations } from '#shared/model/results/attempt.ts';
import type { InstanceDetails, RecordedTest } from '#shared/model/results/instance-details.ts';
import { countTests } from '#shared/model/results/outcomes.ts';
import { stripAnsi } from '#shared/pages/design/ansi.tsx';
import { DataTable, numbers, wideNumbers } from '#shared/pages/design/data-table.tsx';
import { FullTime, formatDuration } from '#shared/pages/design/format.tsx';
import { Icon } from '#shared/pages/design/icon.tsx';
import { OutcomeBadge, OutcomeCounts, type ShownOutcome, toShownOutcome } from '#shared/pages/design/outcome.tsx';
import { PageHead } from '#shared/pages/design/parts.tsx';
import {
  addQuery,
  linkToFilePage,
  linkToInstance,
  linkToNewShare,
  linkToTestOfRun,
} from '#shared/pages/shell/hrefs.ts';
import { NumberedLinks } from '#shared/pages/shell/paging.tsx';
import type { ProjectVisit } from '#shared/sign-in/visit.ts';

interface Props {
  readonly visit: ProjectVisit;
  readonly details: InstanceDetails;
  readonly stdout: Artifact | undefined;
  readonly page: number;
  readonly rows: number;
}

const ORDER: readonly ShownOutcome[] = ['failed', 'flaky', 'running', 'skipped', 'pending', 'passed'];

const getTestOutcome = (test: RecordedTest): ShownOutcome => toShownOutcome(test.outcome, test.flaky);

export function InstancePage({ visit, details, stdout, page, rows }: Props): Html {
  const { instance } = details;
  const tests = details.tests.toSorted(
    (one, other) => ORDER.indexOf(getTestOutcome(one)) - ORDER.indexOf(getTestOutcome(other)),
  );
  const pageHref = linkToInstance(visit, instance.instanceId);
  return (
    <>
      <PageHead
        title={instance.spec}
        actions={
          may(visit.person, 'shares:write') && (
            <a class="button quiet" href={linkToNewShare(visit, { instanceId: instance.instanceId })}>
              <Icon name="external-link" />
              Share…
            </a>
          )
        }
      />
      <OutcomeCounts
        counts={countTests(
          details.tests.map(({ outcome, flaky, attempts }) => ({ outcome, flaky, retries: countRetries(attempts) })),
        )}
      />
      <Facts details={details} />
      {stdout && (
        <p>
          <a href={linkToFilePage(visit, instance.instanceId, stdout.objectName)} data-view>
            Show the standard output
          </a>
        </p>
      )}
      {tests.length === 0 && <p class="notice">No test of this spec file has reported a result.</p>}
      <TestTable visit={visit} instanceId={instance.instanceId} tests={tests.slice(page * rows, (page + 1) * rows)} />
      <NumberedLinks
        page={page}
        nextPage={tests.length > (page + 1) * rows && page + 1}
        href={(to) => addQuery(pageHref, { page: to })}
      />
    </>
  );
}

const Facts = ({ details: { instance, platform } }: Pick<Props, 'details'>): Html => (
  <dl>
    <dt>Group</dt>
    <dd>{instance.groupId}</dd>
    <dt>Platform</dt>
    <dd>{[platform.osName, platform.browserName, platform.browserVersion].filter(Boolean).join(' · ') || 'unknown'}</dd>
    <dt>Machines</dt>
    <dd>{instance.claims.map(({ machineId }) => machineId).join(', ') || 'none yet'}</dd>
    {instance.completedAt !== undefined && (
      <>
        <dt>Finished</dt>
        <dd>
          <FullTime at={instance.completedAt} />
        </dd>
      </>
    )}
  </dl>
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

/** Whether a failure is new, and since when and why the test has been failing: the line below its title. */

import { may } from '#shared/access/may.ts';
import type { Html } from '#shared/engine/html/html.ts';
import type { AppliedRule } from '#shared/model/rules/rule.ts';
import { Ago, FullTime, formatQuantity } from '#shared/pages/design/format.tsx';
import { Icon } from '#shared/pages/design/icon.tsx';
import { shortenSha } from '#shared/pages/shell/commit-names.ts';
import { linkToRules, linkToTestOfRun } from '#shared/pages/shell/hrefs.ts';
import { describeKnownFlaky, type KnownFlaky } from '#shared/results/executions/describe-known-flaky.ts';
import type { FailingSince } from '#shared/results/executions/failing-since-wire.ts';
import type { ShownExecution } from '#shared/results/executions/latest-executions.ts';
import type { FailurePlace } from '#shared/results/failures/failure-place.ts';
import type { QuarantineOfResult } from '#shared/rules/quarantine-of-result.ts';
import { deriveRuleStatus } from '#shared/rules/status.ts';
import type { ProjectVisit } from '#shared/sign-in/visit.ts';

interface Props {
  readonly visit: ProjectVisit;
  readonly place: FailurePlace;
  readonly groupId: string;
  readonly failingSince: FailingSince | undefined;
  /** The latest executions of the test, newest first. */
  readonly executions: readonly ShownExecution[];
  readonly knownFlaky: KnownFlaky | undefined;
  /** The rules that quarantine the test. */
  readonly quarantines: readonly AppliedRule[];
  readonly now: number;
}

export function VerdictLine(props: Props): Html {
  const { visit, place, knownFlaky, quarantines, now } = props;
  const next = findNextExecution(props);
  const [quarantine] = quarantines;
  return (
    <p class={`verdict ${place.verdict === 'flaky' ? 'flaky' : 'failed'}`}>
      <span>
        <Verdict {...props} />
      </span>
      {knownFlaky && (
        <span>
          <strong>Known flaky</strong>: {describeKnownFlaky(knownFlaky)}, the last{' '}
          <Ago at={knownFlaky.lastEventAt} now={now} />.
        </span>
      )}
      {quarantine && (
        <span>
          <strong>Quarantined since</strong> <FullTime at={quarantine.createdAt} />, <Expiry rule={quarantine} />, by{' '}
          <a href={linkToRules(visit, quarantine.actionId)}>{quarantine.name}</a>.
        </span>
      )}
      {next?.status === 'passed' && (
        <span>
          <a href={linkToTestOfRun(visit, next)}>
            {next.flaky ? 'Flaky' : 'Passed again'} in the next run on {next.commit.branch}
          </a>
          .
        </span>
      )}
    </p>
  );
}

const Expiry = ({ rule: { expiresAfter } }: { readonly rule: AppliedRule }): Html =>
  expiresAfter === null || expiresAfter === undefined ? (
    <>without an end</>
  ) : (
    <>
      until <FullTime at={expiresAfter} />
    </>
  );

/** In place of the verdict for a failure that a rule quarantined in the run: it is among no failures of the run. */
export const QuarantinedLine = ({
  visit,
  quarantined: { rule },
  now,
}: Pick<Props, 'visit' | 'now'> & { readonly quarantined: QuarantineOfResult }): Html => (
  <p class="verdict flaky">
    <span>
      <strong>Quarantined</strong>
      {rule && may(visit.person, 'actions:read') && (
        <>
          {' '}
          by the rule <a href={linkToRules(visit, rule.actionId)}>{rule.name}</a>
          {deriveRuleStatus(rule, now) === 'active' ? (
            <>
              {' '}
              <Expiry rule={rule} />
            </>
          ) : (
            ', which has ended since'
          )}
        </>
      )}
      : this failure does not fail the run.
    </span>
  </p>
);

function Verdict(props: Props): Html {
  const { visit, place, failingSince } = props;
  const branch = visit.project.defaultBranchName;
  switch (place.verdict) {
    case 'new': {
      const passes = countPassesBefore(props, branch);
      return (
        <>
          <strong>New in this run</strong>
          {passes > 0 && `: passed in the last ${passes === 1 ? 'run' : `${passes} runs`} of ${branch}`}.
        </>
      );
    }
    case 'still_failing':
      return failingSince ? (
        <>
          <strong>Failing on {branch} since</strong>{' '}
          <a href={linkToTestOfRun(visit, failingSince)}>
            {failingSince.sha === null ? <FullTime at={failingSince.createdAt} /> : shortenSha(failingSince.sha)}
          </a>
          {failingSince.authorName !== null && ` by ${failingSince.authorName}`},{' '}
          {formatQuantity(failingSince.failures, 'run')}
          {failingSince.mayBeEarlier && ' or more'}.
        </>
      ) : (
        <>
          <strong>Still failing</strong>: it failed in the run that this one is compared with, too.
        </>
      );
    case 'failed':
      return (
        <>
          <strong>Failed</strong>: there is no earlier run of {branch} to compare with.
        </>
      );
    case 'flaky':
      return (
        <>
          <strong>Flaky in this run</strong>: it failed, and passed on a retry.
        </>
      );
  }
}

const HAS_RUN: ReadonlySet<string> = new Set(['passed', 'failed']);

/** The executions of the test in this group and on this branch that ran, newest first. */
const listExecutionsOn = (
  { executions, groupId }: Pick<Props, 'executions' | 'groupId'>,
  branch: string | null | undefined,
) => executions.filter((one) => one.groupId === groupId && one.commit.branch === branch && HAS_RUN.has(one.status));

/** How many of the latest executions on the default branch before this run passed, without a failure between them. */
function countPassesBefore(props: Pick<Props, 'executions' | 'groupId' | 'place'>, branch: string): number {
  const { createdAt } = props.place.run;
  const executions = listExecutionsOn(props, branch).filter((one) => Date.parse(one.createdAt) < createdAt);
  const failure = executions.findIndex(({ status }) => status === 'failed');
  return failure === -1 ? executions.length : failure;
}

function findNextExecution(props: Pick<Props, 'executions' | 'groupId' | 'place'>): ShownExecution | undefined {
  const { runId, commit, createdAt, endedAt } = props.place.run;
  return listExecutionsOn(props, commit.branch).findLast(
    (one) => one.runId !== runId && Date.parse(one.createdAt) > (endedAt ?? createdAt),
  );
}

/** The way to the previous and the next failure of the run. The keys n and p follow it. */
export const FailureNeighbours = ({ visit, place }: Pick<Props, 'visit' | 'place'>): Html => {
  const { previous, next, index, total } = place;
  const noun = place.verdict === 'flaky' ? 'flaky test' : 'failure';
  return (
    <nav class="neighbours" aria-label={`${noun === 'failure' ? 'Failures' : 'Flaky tests'} of this run`}>
      {previous && (
        <a rel="prev" href={linkToTestOfRun(visit, previous)} title={`Previous ${noun} (p)`}>
          <Icon name="chevron-left" />
          <span class="hidden-text">Previous {noun}</span>
        </a>
      )}
      <span class="number">
        {index + 1} of {formatQuantity(total, noun)}
      </span>
      {next && (
        <a rel="next" href={linkToTestOfRun(visit, next)} title={`Next ${noun} (n)`}>
          <Icon name="chevron-right" />
          <span class="hidden-text">Next {noun}</span>
        </a>
      )}
    </nav>
  );
};

/** The executions of a test in a period: a strip for each branch, their durations, their errors, and a table. */
import type * as z from 'zod';
import type { Html } from '#shared/engine/html/html.ts';
import { classifyError } from '#shared/errors/classify.ts';
import type { RuleOperation } from '#shared/model/rules/rule-annotations.ts';
import { parseRuleMarks } from '#shared/model/rules/rule-marks.ts';
import { stripAnsi } from '#shared/pages/design/ansi.tsx';
import { DataTable, numbers, wideNumbers } from '#shared/pages/design/data-table.tsx';
import {
  FullTime,
  formatDuration,
  formatFullTime,
  formatQuantity,
  formatShortDate,
} from '#shared/pages/design/format.tsx';
import { OutcomeBadge, toShownOutcome } from '#shared/pages/design/outcome.tsx';
import { Fact, Panel } from '#shared/pages/design/parts.tsx';
import { TimeChart } from '#shared/pages/design/time-chart.tsx';
import { getCommitTitle, shortenSha } from '#shared/pages/shell/commit-names.ts';
import { linkToTestOfRun } from '#shared/pages/shell/hrefs.ts';
import type { TestResult } from '#shared/results/executions/test-result-wire.ts';
import type { ProjectVisit } from '#shared/sign-in/visit.ts';
import { ExecutionStrip } from './execution-strip.tsx';

interface Props {
  readonly visit: ProjectVisit;
  /** Newest first. */
  readonly executions: readonly z.infer<typeof TestResult>[];
}

export const Executions = ({ visit, executions }: Props): Html => (
  <div class="stack">
    <BranchStrips visit={visit} executions={executions} />
    {executions.length > 1 && <DurationChart visit={visit} executions={executions} />}
    <Errors executions={executions} />
    <ExecutionTable visit={visit} executions={executions} />
  </div>
);

/** If one strip mixed all branches, a test that always fails on one of them would look flaky. */
function BranchStrips({ visit, executions }: Props): Html {
  const rank = (branch: string) => (branch === visit.project.defaultBranchName ? 0 : 1);
  const byBranch = Map.groupBy(executions, ({ commit }) => commit.branch ?? 'no branch');
  const defaultBranchFirst = [...byBranch].sort(([one], [other]) => rank(one) - rank(other));
  return (
    <Panel title="History by branch" note="newest on the right">
      <dl class="facts">
        {defaultBranchFirst.map(([branch, branchExecutions]) => (
          <Fact name={branch}>
            <ExecutionStrip
              visit={visit}
              executions={branchExecutions}
              label={`Executions on ${branch}, newest last`}
            />
          </Fact>
        ))}
      </dl>
    </Panel>
  );
}

const DurationChart = ({ visit, executions }: Props): Html => (
  <Panel title="Duration">
    <TimeChart
      label="Duration of each execution"
      kind="line"
      series={[{ name: 'duration', tone: 'c1' }]}
      isDuration
      textOf={formatDuration}
      buckets={executions.toReversed().map((execution) => ({
        name: formatFullTime(execution.createdAt),
        tick: formatShortDate(Date.parse(execution.createdAt)),
        values: [execution.duration],
        href: linkToTestOfRun(visit, execution),
      }))}
    />
  </Panel>
);

function Errors({ executions }: Pick<Props, 'executions'>): Html {
  const failures = executions.flatMap(({ displayError, createdAt }) =>
    displayError === null ? [] : [{ message: stripAnsi(displayError), createdAt }],
  );
  if (failures.length === 0) return <></>;
  // As in the list of errors, messages that differ only in ids, numbers and values are one error.
  const errors = Map.groupBy(failures, ({ message }) => classifyError({ message, stack: null }).fingerprint);
  const mostFrequentFirst = [...errors.values()].sort((one, other) => other.length - one.length);
  return (
    <Panel title="Errors" isFlush>
      <ul class="rows">
        {mostFrequentFirst.map((occurrences) => (
          <li>
            <code>{occurrences[0]?.message.split('\n', 1)[0]}</code>{' '}
            <small>
              {formatQuantity(occurrences.length, 'execution')}, last on{' '}
              <FullTime at={occurrences[0]?.createdAt ?? 0} />
            </small>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

const RULE_WORDS: Readonly<Record<RuleOperation, string>> = {
  quarantine: 'quarantined',
  skip: 'skipped by a rule',
  tag: 'tagged by a rule',
};

/** What rules did to the test in this execution. */
const listRuleOperations = ({ annotations }: Props['executions'][number]): RuleOperation[] => [
  ...new Set(parseRuleMarks(annotations ?? []).map(({ type }) => type)),
];

const ExecutionTable = ({ visit, executions }: Props): Html => (
  <DataTable
    label="Executions"
    caption="Newest first"
    columns={['Outcome', 'Execution', ...numbers('Duration'), ...wideNumbers('Attempts')]}
  >
    {executions.map((execution) => (
      <tr>
        <td>
          <OutcomeBadge outcome={toShownOutcome(execution.status, execution.flaky)} />
          {listRuleOperations(execution).map((operation) => (
            <small class="soft"> {RULE_WORDS[operation]}</small>
          ))}
        </td>
        <th scope="row">
          <a href={linkToTestOfRun(visit, execution)}>
            <FullTime at={execution.createdAt} />
          </a>
          <br />
          <small>
            {execution.commit.branch ?? 'no branch'}{' '}
            <code>{execution.commit.sha && shortenSha(execution.commit.sha)}</code>{' '}
            {[getCommitTitle(execution.commit), execution.commit.authorName, execution.groupId]
              .filter(Boolean)
              .join(' · ')}
          </small>
        </th>
        <td class="number">{formatDuration(execution.duration)}</td>
        <td class="number wide">{execution.attempts.length}</td>
      </tr>
    ))}
  </DataTable>
);

/** The rules of a project. */
import type { FlakyTestRow } from '#shared/analytics/flaky/flaky-wire.ts';
import type { Html } from '#shared/engine/html/html.ts';
import { DataTable, wide } from '#shared/pages/design/data-table.tsx';
import { FullTime, formatRate, toSentenceCase } from '#shared/pages/design/format.tsx';
import { Icon } from '#shared/pages/design/icon.tsx';
import { EmptyState, GroupHead, Notice, PageHead, Tabs } from '#shared/pages/design/parts.tsx';
import { type Here, linkWithChanges } from '#shared/pages/shell/here.ts';
import { linkToRules, linkToTest } from '#shared/pages/shell/hrefs.ts';
import { isOfDeletedProject, mayAdd } from '#shared/pages/shell/may-add.ts';
import { OffsetLinks } from '#shared/pages/shell/offset-links.tsx';
import type { Runners } from '#shared/rules/read-runners.ts';
import type { LeftTest } from '#shared/rules/renamed-tests.ts';
import { RULE_STATUSES, type RuleStatus } from '#shared/rules/status.ts';
import type { RuleReview } from '#shared/rules/warnings.ts';
import type { ProjectVisit } from '#shared/sign-in/visit.ts';
import { EndQuarantine } from './end-quarantine.tsx';
import { QuarantineControl } from './quarantine-control.tsx';
import { RenamedTests } from './renamed-tests.tsx';
import { formatActions, isQuarantine, RuleState, RuleWarnings } from './rule-names.tsx';
import { RunnersOfRules } from './runners-of-rules.tsx';

interface Props {
  readonly at: Here & { readonly visit: ProjectVisit };
  readonly status: readonly RuleStatus[];
  readonly rules: readonly RuleReview[];
  readonly page: number;
  readonly total: number;
  readonly nextPage: number | false;
  readonly suggested: readonly FlakyTestRow[];
  readonly runners: Runners;
  readonly renamed: readonly LeftTest[];
  readonly nameOf: (actor: string) => string;
  readonly now: number;
}

export const RulesPage = ({
  at,
  status,
  rules,
  page,
  total,
  nextPage,
  suggested,
  runners,
  renamed,
  nameOf,
  now,
}: Props): Html => (
  <>
    <PageHead
      title="Rules"
      meta="Rules skip, quarantine or tag tests of Playwright with the reporter of rundown-cli, or with the fixtures of rundown-cli or @currents/playwright, and tests of Vitest with rundown-cli/vitest-rules."
      actions={
        mayAdd(at.visit, 'actions:write') && (
          <a class="button" href={linkToRules(at.visit, 'new')}>
            <Icon name="plus" />
            New rule
          </a>
        )
      }
    />
    {renamed.length > 0 && <RenamedTests visit={at.visit} renamed={renamed} />}
    {runners.state !== 'applied' && rules.some(({ rule }) => rule.status !== 'archived') && (
      <Notice tone="flaky">
        <RunnersOfRules visit={at.visit} runners={runners} />
      </Notice>
    )}
    <Statuses at={at} status={status} />
    {rules.length === 0 ? (
      <EmptyState icon="shield" title={status.length > 1 ? 'No rules' : `No ${status.join()} rules`}>
        <p>
          {mayAdd(at.visit, 'actions:write')
            ? 'If you quarantine a flaky test, its failures no longer fail your runs. A new rule applies to one test or to all tests that match a pattern.'
            : 'Only Admins and Actions Admins can create rules.'}
        </p>
      </EmptyState>
    ) : (
      <RuleTable at={at} rules={rules} runners={runners} nameOf={nameOf} />
    )}
    <OffsetLinks at={at} {...{ page, shown: rules.length, total, nextPage }} />
    {suggested.length > 0 && !isOfDeletedProject(at.visit) && <Suggestions at={at} suggested={suggested} now={now} />}
  </>
);

const Statuses = ({ at, status }: Pick<Props, 'at' | 'status'>): Html => (
  <Tabs
    label="Statuses"
    tabs={[
      { name: 'Not archived', href: linkWithChanges(at, { 'status[]': undefined }), isCurrent: status.length > 1 },
      ...RULE_STATUSES.map((one) => ({
        name: toSentenceCase(one),
        href: linkWithChanges(at, { 'status[]': one }),
        isCurrent: status.length === 1 && status[0] === one,
      })),
    ]}
  />
);

const RuleTable = ({
  at: { visit },
  rules,
  runners,
  nameOf,
}: Pick<Props, 'at' | 'rules' | 'runners' | 'nameOf'>): Html => (
  <DataTable
    label="Rules"
    caption="Newest first"
    columns={['Rule', 'State', ...wide('Expires', 'Last match', 'Created by')]}
  >
    {rules.map(({ rule, warnings, lastMatchAt }) => (
      <tr>
        <th scope="row">
          <a href={linkToRules(visit, rule.actionId)}>{rule.name}</a>
          <br />
          <small>{formatActions(rule)}</small>
          <small class="narrow line">
            {(rule.status === 'active' || rule.status === 'expired') && (
              <>
                expires <Expiry rule={rule} /> ·{' '}
              </>
            )}
            {lastMatchAt === undefined ? (
              'no match yet'
            ) : (
              <>
                last match <FullTime at={lastMatchAt} />
              </>
            )}
          </small>
        </th>
        <td>
          <RuleState status={rule.status} isApplied={runners.state === 'applied'} />{' '}
          <RuleWarnings warnings={warnings} />
          {rule.status === 'active' && isQuarantine(rule) && <EndQuarantine visit={visit} rule={rule} />}
        </td>
        <td class="wide">
          <Expiry rule={rule} />
        </td>
        <td class="wide">{lastMatchAt === undefined ? 'none' : <FullTime at={lastMatchAt} />}</td>
        <td class="wide">{nameOf(rule.createdBy)}</td>
      </tr>
    ))}
  </DataTable>
);

const Expiry = ({ rule: { status, expiresAfter } }: Pick<RuleReview, 'rule'>): Html => {
  if (status === 'disabled' || status === 'archived') return <>–</>;
  return expiresAfter === null ? <>never</> : <FullTime at={expiresAfter} />;
};

const Suggestions = ({ at: { visit }, suggested, now }: Pick<Props, 'at' | 'suggested' | 'now'>): Html => (
  <>
    <GroupHead
      title="Flaky tests that are not quarantined"
      note="These are only suggestions. Nothing changes until somebody saves a rule."
    />
    <section class="panel" aria-label="Flaky tests that are not quarantined">
      <ul class="rows">
        {suggested.map((test) => (
          <li>
            <Icon name="shuffle" />
            <div class="grow">
              <a href={linkToTest(visit, test.signature)}>{test.title.join(' › ')}</a>
              <div class="meta">
                <code>{test.spec}</code>
                <span>at least {formatRate(test.score)} flaky</span>
              </div>
            </div>
            <QuarantineControl visit={visit} test={test} rule={undefined} now={now} />
          </li>
        ))}
      </ul>
    </section>
  </>
);

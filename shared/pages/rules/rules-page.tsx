/** The rules of a project. */
import { may } from '#shared/access/may.ts';
import type { FlakyTestRow } from '#shared/analytics/flaky/flaky-wire.ts';
import type { Html } from '#shared/engine/html/html.ts';
import { DataTable, wide } from '#shared/pages/design/data-table.tsx';
import { FullTime, rateText } from '#shared/pages/design/format.tsx';
import { Icon } from '#shared/pages/design/icon.tsx';
import { EmptyState, PageHead } from '#shared/pages/design/parts.tsx';
import { type Here, hereWith } from '#shared/pages/shell/here.ts';
import { ruleHref, rulesHref, testHref, withQuery } from '#shared/pages/shell/hrefs.ts';
import { OffsetLinks } from '#shared/pages/shell/offset-links.tsx';
import { RULE_STATUSES, type RuleStatus } from '#shared/rules/status.ts';
import type { Reviewed } from '#shared/rules/warnings.ts';
import type { ProjectVisit } from '#shared/sign-in/visit.ts';
import { EndQuarantine } from './end-quarantine.tsx';
import { quarantineOf } from './rule-fields.ts';
import { actionsText, RuleState, RuleWarnings } from './rule-names.tsx';

interface Props {
  readonly at: Here & { readonly visit: ProjectVisit };
  readonly status: readonly RuleStatus[];
  readonly rules: readonly Reviewed[];
  readonly page: number;
  readonly total: number;
  readonly nextPage: number | false;
  readonly suggested: readonly FlakyTestRow[];
  /** Display name of an actor. */
  readonly nameOf: (actor: string) => string;
  readonly now: number;
}

export const RulesPage = ({ at, status, rules, page, total, nextPage, suggested, nameOf, now }: Props): Html => (
  <>
    <PageHead
      title="Rules"
      actions={
        may(at.visit.person, 'actions:write') && (
          <a class="button" href={rulesHref(at.visit, 'new')}>
            <Icon name="plus" />
            New rule
          </a>
        )
      }
    />
    <p class="soft">
      Rules skip, quarantine or tag tests. They apply to Playwright runs that use the fixtures of{' '}
      <code>@currents/playwright</code>.
    </p>
    <Statuses at={at} status={status} />
    {rules.length === 0 ? (
      <EmptyState icon="shield" title={`No rule is ${status.join(' or ')}.`} />
    ) : (
      <RuleTable visit={at.visit} rules={rules} nameOf={nameOf} />
    )}
    <OffsetLinks at={at} {...{ page, shown: rules.length, total, nextPage }} />
    {suggested.length > 0 && <Suggestions visit={at.visit} suggested={suggested} now={now} />}
  </>
);

/** Links that filter by status. The default shows all but archived rules. */
const Statuses = ({ at, status }: Pick<Props, 'at' | 'status'>): Html => (
  <nav aria-label="Statuses">
    <ul class="counts">
      <li>
        <a href={hereWith(at, { 'status[]': undefined })} aria-current={status.length > 1 ? 'page' : undefined}>
          not archived
        </a>
      </li>
      {RULE_STATUSES.map((one) => (
        <li>
          <a
            href={hereWith(at, { 'status[]': one })}
            aria-current={status.length === 1 && status[0] === one ? 'page' : undefined}
          >
            {one}
          </a>
        </li>
      ))}
    </ul>
  </nav>
);

const RuleTable = ({
  visit,
  rules,
  nameOf,
}: Pick<Props, 'rules' | 'nameOf'> & { readonly visit: ProjectVisit }): Html => (
  <DataTable
    label="Rules"
    caption="Newest first"
    columns={['Rule', 'State', ...wide('Expires', 'Last match', 'Created by')]}
  >
    {rules.map(({ rule, warnings, lastMatchAt }) => (
      <tr>
        <th scope="row">
          <a href={ruleHref(visit, rule.actionId)}>{rule.name}</a>
          <br />
          <small>{actionsText(rule)}</small>
        </th>
        <td>
          <RuleState status={rule.status} /> <RuleWarnings warnings={warnings} />
          {rule.status === 'active' && rule.action.some(({ op }) => op === 'quarantine') && (
            <EndQuarantine visit={visit} rule={rule} />
          )}
        </td>
        <td class="wide">{rule.expiresAfter === null ? 'never' : <FullTime at={rule.expiresAfter} />}</td>
        <td class="wide">{lastMatchAt === undefined ? 'none' : <FullTime at={lastMatchAt} />}</td>
        <td class="wide">{nameOf(rule.createdBy)}</td>
      </tr>
    ))}
  </DataTable>
);

const Suggestions = ({
  visit,
  suggested,
  now,
}: Pick<Props, 'suggested' | 'now'> & { readonly visit: ProjectVisit }): Html => (
  <section aria-labelledby="suggestions">
    <h2 id="suggestions">Flaky tests without quarantine</h2>
    <p class="soft">Suggested quarantines. Nothing happens until you confirm one.</p>
    <ul>
      {suggested.map((test) => (
        <li>
          <a href={testHref(visit, test.signature)}>{test.title.join(' › ')}</a>{' '}
          <small>
            {test.spec} · score {rateText(test.score)}
          </small>{' '}
          {may(visit.person, 'actions:write') && (
            <a
              href={withQuery(rulesHref(visit, 'new'), quarantineOf(test, now))}
              aria-label={`Quarantine ${test.title.join(' › ')}`}
            >
              Quarantine…
            </a>
          )}
        </li>
      ))}
    </ul>
  </section>
);

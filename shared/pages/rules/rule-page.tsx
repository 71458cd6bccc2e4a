/** One rule: its conditions, its state, and the executions that it matched. */
import type * as z from 'zod';
import { may } from '#shared/access/may.ts';
import type { Html } from '#shared/engine/html/html.ts';
import { DataTable, wide } from '#shared/pages/design/data-table.tsx';
import { PostButton } from '#shared/pages/design/fields.tsx';
import { FullTime } from '#shared/pages/design/format.tsx';
import { OutcomeBadge, toShownOutcome } from '#shared/pages/design/outcome.tsx';
import { addQuery, linkToRules, linkToTestOfRun } from '#shared/pages/shell/hrefs.ts';
import { PageLinks, type Paging } from '#shared/pages/shell/paging.tsx';
import type { WithForms } from '#shared/pages/shell/view.ts';
import type { AffectedExecution } from '#shared/rules/affected-wire.ts';
import type { RuleReview } from '#shared/rules/warnings.ts';
import type { ProjectVisit } from '#shared/sign-in/visit.ts';
import { formatCondition } from './condition-names.ts';
import { formatActions, RuleState, RuleWarnings } from './rule-names.tsx';

interface Props extends WithForms<ProjectVisit> {
  readonly reviewed: RuleReview;
  readonly nameOf: (actor: string) => string;
  readonly executions: readonly (z.infer<typeof AffectedExecution> & { readonly cursor: string })[];
  readonly paging: Paging;
}

export const RulePage = ({ visit, reviewed: { rule, warnings }, nameOf, executions, paging, refused }: Props): Html => (
  <>
    <h1>{rule.name}</h1>
    {refused && (
      <p class="notice problem-text" role="alert">
        <strong>Nothing was changed.</strong> {refused.problem}
      </p>
    )}
    <p>
      <RuleState status={rule.status} /> <RuleWarnings warnings={warnings} />
    </p>
    <Settings rule={rule} nameOf={nameOf} />
    {may(visit.person, 'actions:write') && rule.status !== 'archived' && (
      <div class="actions">
        <PostButton
          action={linkToRules(visit, rule.actionId, 'status')}
          fields={{ status: rule.status === 'disabled' ? 'enabled' : 'disabled' }}
          class="quiet"
        >
          {rule.status === 'disabled' ? 'Enable' : 'Disable'}
        </PostButton>
        <a class="button quiet" href={linkToRules(visit, rule.actionId, 'edit')}>
          Change…
        </a>
        <a class="button quiet" href={linkToRules(visit, rule.actionId, 'archive')}>
          Archive…
        </a>
      </div>
    )}
    <h2 id="executions">Matched executions</h2>
    {executions.length === 0 ? (
      <p class="notice">This rule has not matched any test yet, or the results of the matched tests have expired.</p>
    ) : (
      <Executions visit={visit} executions={executions} />
    )}
    <PageLinks paging={paging} href={(cursors) => addQuery(linkToRules(visit, rule.actionId), cursors)} />
  </>
);

const Settings = ({ rule, nameOf }: Pick<Props, 'nameOf'> & Pick<RuleReview, 'rule'>): Html => (
  <dl>
    {rule.description !== null && (
      <>
        <dt>Description</dt>
        <dd>{rule.description}</dd>
      </>
    )}
    <dt>Action</dt>
    <dd>{formatActions(rule)}</dd>
    <dt>Conditions</dt>
    <dd>
      {rule.matcher.op === 'AND' ? 'all of:' : 'any of:'}
      <ul>
        {rule.matcher.cond.map((condition) => (
          <li>{formatCondition(condition)}</li>
        ))}
      </ul>
    </dd>
    <dt>Expires</dt>
    <dd>{rule.expiresAfter === null ? 'never' : <FullTime at={rule.expiresAfter} />}</dd>
    <dt>Created</dt>
    <dd>
      <FullTime at={rule.createdAt} /> by {nameOf(rule.createdBy)}
    </dd>
    <dt>Version</dt>
    <dd>{rule.v}</dd>
  </dl>
);

const Executions = ({ visit, executions }: Pick<Props, 'visit' | 'executions'>): Html => (
  <DataTable label="Executions" caption="Newest first" columns={['Outcome', 'Test', ...wide('Branch', 'Time')]}>
    {executions.map((execution) => (
      <tr>
        <td>
          <OutcomeBadge outcome={toShownOutcome(execution.status, execution.flaky)} />
        </td>
        <th scope="row">
          <a href={linkToTestOfRun(visit, execution)}>{execution.title.join(' › ')}</a>
          <br />
          <small>{execution.spec}</small>
        </th>
        <td class="wide">{execution.branch ?? 'no branch'}</td>
        <td class="wide">
          <FullTime at={execution.createdAt} />
        </td>
      </tr>
    ))}
  </DataTable>
);

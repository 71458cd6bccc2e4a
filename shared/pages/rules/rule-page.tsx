/** One rule: its conditions, its state, and the executions that it matched. */

import type * as z from 'zod';
import { may } from '#shared/access/may.ts';
import type { Child, Html } from '#shared/engine/html/html.ts';
import { DataTable, wide } from '#shared/pages/design/data-table.tsx';
import { PostButton } from '#shared/pages/design/fields.tsx';
import { FullTime, formatDate, formatQuantity } from '#shared/pages/design/format.tsx';
import { OutcomeBadge, toShownOutcome } from '#shared/pages/design/outcome.tsx';
import { Notice, PageHead, Panel } from '#shared/pages/design/parts.tsx';
import { DAY } from '#shared/pages/design/time-units.ts';
import { addQuery, linkToProjectPage, linkToRules, linkToTestOfRun } from '#shared/pages/shell/hrefs.ts';
import { isOfDeletedProject } from '#shared/pages/shell/may-add.ts';
import { PageLinks, type Paging } from '#shared/pages/shell/paging.tsx';
import type { WithForms } from '#shared/pages/shell/view.ts';
import type { AffectedExecution } from '#shared/rules/affected-wire.ts';
import { RULE_LIMITS } from '#shared/rules/limits.ts';
import type { Runners } from '#shared/rules/read-runners.ts';
import type { ShownRule } from '#shared/rules/rule-wire.ts';
import type { RuleReview } from '#shared/rules/warnings.ts';
import type { ProjectVisit } from '#shared/sign-in/visit.ts';
import { formatCondition } from './condition-names.ts';
import { END_QUARANTINE } from './end-quarantine.tsx';
import { findOnlyTest } from './quarantine-link.ts';
import { toRuleDraft } from './rule-fields.ts';
import { isQuarantine, RuleState, RuleWarnings } from './rule-names.tsx';
import { RunnersOfRules } from './runners-of-rules.tsx';

interface Props extends WithForms<ProjectVisit> {
  readonly reviewed: RuleReview;
  readonly nameOf: (actor: string) => string;
  readonly executions: readonly (z.infer<typeof AffectedExecution> & { readonly cursor: string })[];
  readonly paging: Paging;
  readonly runners: Runners;
  readonly now: number;
}

export const RulePage = ({
  visit,
  reviewed: { rule, warnings, lastMatchAt },
  nameOf,
  executions,
  paging,
  runners,
  refused,
  now,
}: Props): Html => {
  const draft = toRuleDraft(rule);
  const onlyTest = draft && findOnlyTest(draft);
  return (
    <>
      <PageHead
        title={rule.name}
        meta={
          <>
            <span>
              <RuleState status={rule.status} isApplied={runners.state === 'applied'} />
            </span>
            <RuleWarnings warnings={warnings} />
          </>
        }
        actions={
          may(visit.person, 'actions:write') && rule.status !== 'archived' && <Actions visit={visit} rule={rule} />
        }
      />
      {refused && (
        <p class="notice problem-text" role="alert">
          <strong>Nothing was changed.</strong> {refused.problem}
        </p>
      )}
      {rule.status === 'active' && lastMatchAt === undefined && (
        <NotApplied visit={visit} rule={rule} runners={runners} />
      )}
      <Panel title="What it does" footer={<History rule={rule} nameOf={nameOf} />}>
        {rule.action.map((action) => (
          <p>
            <Effect action={action}>
              {onlyTest ? <OnlyTest visit={visit} {...onlyTest} /> : 'the tests that match the conditions below'}
            </Effect>{' '}
            {formatEnd(rule, now)}
          </p>
        ))}
        {rule.description !== null && <p>{rule.description}</p>}
        {onlyTest ? (
          <details>
            <summary>Advanced: its patterns</summary>
            <Conditions rule={rule} />
          </details>
        ) : (
          <Conditions rule={rule} />
        )}
      </Panel>
      <Panel
        title="Matched executions"
        id="executions"
        note={
          lastMatchAt === undefined ? undefined : (
            <>
              the last one on <FullTime at={lastMatchAt} />
            </>
          )
        }
        isFlush={executions.length > 0}
      >
        {executions.length === 0 ? (
          <p>This rule has not matched any test yet, or the results of the matched tests have expired.</p>
        ) : (
          <Executions visit={visit} executions={executions} />
        )}
      </Panel>
      <PageLinks paging={paging} href={(cursors) => addQuery(linkToRules(visit, rule.actionId), cursors)} />
    </>
  );
};

/** Until the first match, nothing shows that the rule has an effect. */
function NotApplied({ visit, rule, runners }: Pick<Props, 'visit' | 'runners'> & Pick<RuleReview, 'rule'>): Html {
  const hadRuns = runners.newestRunAt !== undefined && runners.newestRunAt >= Date.parse(rule.createdAt);
  return (
    <Notice tone={hadRuns || runners.state !== 'applied' ? 'flaky' : 'running'}>
      <p>
        {hadRuns
          ? 'No run has applied this rule yet, although runs have been recorded since it was created.'
          : 'No run has been recorded since this rule was created.'}
      </p>
      <RunnersOfRules visit={visit} runners={runners} />
    </Notice>
  );
}

/** What an action does. `children`: the tests. */
const Effect = ({
  action: { op, details },
  children,
}: {
  readonly action: ShownRule['action'][number];
  readonly children?: Child;
}): Html => {
  if (op === 'quarantine') return <>Failures of {children} do not fail runs</>;
  if (op === 'skip') return <>Runs skip {children}</>;
  return (
    <>
      Results of {children} get the tags {details?.tags.join(', ')}
    </>
  );
};

const OnlyTest = ({
  visit,
  title,
  spec,
}: Pick<Props, 'visit'> & { readonly title: string; readonly spec: string }): Html => (
  <>
    <a href={addQuery(linkToProjectPage(visit, 'tests'), { title, spec, minExecutions: '1' })}>{title}</a> in{' '}
    <code>{spec}</code>
  </>
);

function formatEnd({ expiresAfter, status }: ShownRule, now: number): Html {
  if (expiresAfter === null) return <>without an end.</>;
  const end = Date.parse(expiresAfter);
  const daysLeft = Math.floor(end / DAY) - Math.floor(now / DAY);
  if (end < now) return <>until {formatDate(end)}. That has passed.</>;
  return (
    <>
      until {formatDate(end)}
      {status === 'active'
        ? `, ${daysLeft > 0 ? `${formatQuantity(daysLeft, 'day')} left` : 'the last day'}`
        : ', but it is switched off'}
      .
    </>
  );
}

const Conditions = ({ rule: { matcher } }: { readonly rule: ShownRule }): Html => (
  <>
    <p>{matcher.op === 'AND' ? 'A test matches if it meets all of:' : 'A test matches if it meets any of:'}</p>
    <ul>
      {matcher.cond.map((condition) => (
        <li>{formatCondition(condition)}</li>
      ))}
    </ul>
  </>
);

const History = ({ rule, nameOf }: Pick<Props, 'nameOf'> & Pick<RuleReview, 'rule'>): Html => (
  <span>
    Created on <FullTime at={rule.createdAt} /> by {nameOf(rule.createdBy)}
    {rule.updatedAt !== undefined && rule.updatedBy !== undefined && (
      <>
        , changed on <FullTime at={rule.updatedAt} /> by {nameOf(rule.updatedBy)}
      </>
    )}
    . Version {rule.v}
  </span>
);

const Actions = ({ visit, rule }: Pick<Props, 'visit'> & Pick<RuleReview, 'rule'>): Html => (
  <>
    {!isOfDeletedProject(visit) && rule.expiresAfter !== null && (
      <PostButton action={linkToRules(visit, rule.actionId, 'status')} fields={{ status: 'extended' }} class="quiet">
        Extend {RULE_LIMITS.quarantineDays} days
      </PostButton>
    )}
    {(rule.status !== 'disabled' || !isOfDeletedProject(visit)) && (
      <PostButton
        action={linkToRules(visit, rule.actionId, 'status')}
        fields={{ status: rule.status === 'disabled' ? 'enabled' : 'disabled' }}
        class="quiet"
      >
        {nameSwitch(rule)}
      </PostButton>
    )}
    {!isOfDeletedProject(visit) && (
      <a class="button quiet" href={linkToRules(visit, rule.actionId, 'edit')}>
        Change…
      </a>
    )}
    <a class="button quiet" href={linkToRules(visit, rule.actionId, 'archive')}>
      Archive…
    </a>
  </>
);

function nameSwitch(rule: ShownRule): string {
  if (rule.status === 'disabled') return 'Enable';
  return rule.status === 'active' && isQuarantine(rule) ? END_QUARANTINE : 'Disable';
}

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

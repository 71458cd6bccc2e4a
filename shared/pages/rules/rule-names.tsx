/** Display names of rule states, actions and warnings. */
import type { Html } from '#shared/engine/html/html.ts';
import { OutcomeBadge, type ShownOutcome } from '#shared/pages/design/outcome.tsx';
import { linkToRules } from '#shared/pages/shell/hrefs.ts';
import type { Breadcrumb } from '#shared/pages/shell/view.ts';
import type { ShownRule } from '#shared/rules/rule-wire.ts';
import type { RuleStatus } from '#shared/rules/status.ts';
import type { Warning } from '#shared/rules/warnings.ts';
import type { ProjectVisit } from '#shared/sign-in/visit.ts';

const OUTCOMES: Readonly<Record<RuleStatus, ShownOutcome>> = {
  active: 'passed',
  disabled: 'skipped',
  expired: 'pending',
  archived: 'pending',
};

interface StateProps extends Pick<ShownRule, 'status'> {
  /** Whether any run of the project has applied a rule. Otherwise nothing shows that an active rule has an effect. */
  readonly isApplied: boolean;
}

export const RuleState = ({ status, isApplied }: StateProps): Html =>
  status === 'active' && !isApplied ? (
    <OutcomeBadge outcome="flaky" label="not applied yet" />
  ) : (
    <OutcomeBadge outcome={OUTCOMES[status]} label={status} />
  );

export const formatActions = ({ action }: Pick<ShownRule, 'action'>): string =>
  action.map(({ op, details }) => (details ? `${op} ${details.tags.join(', ')}` : op)).join(' and ');

export const isQuarantine = ({ action }: Pick<ShownRule, 'action'>): boolean =>
  action.some(({ op }) => op === 'quarantine');

/** Runners report a quarantined failure as a skipped test. */
export const QUARANTINE_MEANS = 'Quarantined failures do not fail runs, and are counted as skipped.';

const WARNINGS: Readonly<Record<Warning, string>> = {
  noExpiry: 'never expires',
  unmatched: 'matched no test for 30 days',
  alwaysGreen: 'its latest executions all passed, so the quarantine may not be needed',
};

export const RuleWarnings = ({ warnings }: { readonly warnings: readonly Warning[] }): Html => (
  <>
    {warnings.map((warning) => (
      <span class="outcome flaky">
        <span aria-hidden="true">!</span> {WARNINGS[warning]}{' '}
      </span>
    ))}
  </>
);

export const makeRuleBreadcrumbs = (visit: ProjectVisit, name: string): Breadcrumb[] => [
  { name: 'Rules', href: linkToRules(visit) },
  { name },
];

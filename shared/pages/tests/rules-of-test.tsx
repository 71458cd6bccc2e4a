/** The rules that quarantine a test, with controls to start and end a quarantine. */
import { may } from '#shared/access/may.ts';
import type { Html } from '#shared/engine/html/html.ts';
import type { AppliedRule } from '#shared/model/tests/rule.ts';
import { FullTime } from '#shared/pages/design/format.tsx';
import { EndQuarantine } from '#shared/pages/rules/end-quarantine.tsx';
import { quarantineOf } from '#shared/pages/rules/rule-fields.ts';
import { ruleHref, rulesHref, withQuery } from '#shared/pages/shell/hrefs.ts';
import { type ExecutionOfTest, quarantinedBy } from '#shared/rules/quarantines.ts';
import type { ProjectVisit } from '#shared/sign-in/visit.ts';

interface Props {
  readonly visit: ProjectVisit;
  readonly signature: string;
  /** Newest first. */
  readonly executions: readonly ExecutionOfTest[];
  /** The active rules that quarantine the test. `undefined` for roles that may not see rules. */
  readonly quarantines: readonly AppliedRule[] | undefined;
  readonly now: number;
}

export function RulesOfTest({ visit, signature, executions, quarantines, now }: Props): Html {
  const [latest] = executions;
  if (!latest) return <span hidden />;
  const isEnded = quarantines?.length === 0;
  return (
    <>
      {quarantines?.map((rule) => (
        <Quarantine visit={visit} signature={signature} rule={rule} />
      ))}
      {quarantinedBy(latest).length > 0 && (isEnded || !quarantines) && (
        <p class="notice">
          <strong>Quarantined</strong> in its latest execution.{isEnded && ' The quarantine has ended.'}
        </p>
      )}
      {isEnded && may(visit.person, 'actions:write') && (
        <p>
          <a class="button quiet" href={withQuery(rulesHref(visit, 'new'), quarantineOf(latest, now))}>
            Quarantine…
          </a>
        </p>
      )}
    </>
  );
}

const Quarantine = ({
  visit,
  signature,
  rule,
}: Pick<Props, 'visit' | 'signature'> & { readonly rule: AppliedRule }): Html => (
  <div class="notice">
    <p>
      <strong>Quarantined</strong> by the rule <a href={ruleHref(visit, rule.actionId)}>{rule.name}</a>
      {rule.expiresAfter === null ? (
        ', which never expires'
      ) : (
        <>
          {' until '}
          <FullTime at={rule.expiresAfter} />
        </>
      )}
      . Failures of this test are counted as skipped.
    </p>
    <EndQuarantine visit={visit} rule={rule} signature={signature} />
  </div>
);

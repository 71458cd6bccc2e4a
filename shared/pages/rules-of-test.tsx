/** The rules that matched the latest execution of a test, and the way to quarantine it. */
import { may } from '#shared/access/may.ts';
import type { Html } from '#shared/engine/html/html.ts';
import { ruleMarksOf, type ShownAnnotation } from '#shared/model/rule-marks.ts';
import type { ProjectVisit } from '#shared/sign-in/visit.ts';
import { ruleHref, rulesHref, withQuery } from './hrefs.ts';
import { quarantineOf } from './rule-fields.ts';

interface Props {
  readonly visit: ProjectVisit;
  /** Newest first. */
  readonly executions: readonly {
    readonly spec: string;
    readonly title: readonly string[];
    readonly annotations?: readonly ShownAnnotation[] | null | undefined;
  }[];
  readonly now: number;
}

export function RulesOfTest({ visit, executions, now }: Props): Html {
  const [latest] = executions;
  if (!latest) return <span hidden />;
  const marks = ruleMarksOf(latest.annotations ?? []);
  const quarantine = marks.find(({ type }) => type === 'quarantine');
  return (
    <>
      {quarantine && (
        <p class="notice">
          <strong>Quarantined</strong> in its latest execution.{' '}
          {may(visit.person, 'actions:read') && <a href={ruleHref(visit, quarantine.actionId)}>Open the rule</a>}
        </p>
      )}
      {!quarantine && may(visit.person, 'actions:write') && (
        <p>
          <a class="button quiet" href={withQuery(rulesHref(visit, 'new'), quarantineOf(latest, now))}>
            Quarantine…
          </a>
        </p>
      )}
    </>
  );
}

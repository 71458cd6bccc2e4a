/** A button that ends a quarantine immediately, by disabling the rule. The rule can be enabled again. */
import { may } from '#shared/access/may.ts';
import type { Html } from '#shared/engine/html/html.ts';
import type { Rule } from '#shared/model/rules/rule.ts';
import { linkToRules } from '#shared/pages/shell/hrefs.ts';
import type { ProjectVisit } from '#shared/sign-in/visit.ts';

/** On every page the same words. */
export const END_QUARANTINE = 'End quarantine';

interface Props {
  readonly visit: ProjectVisit;
  readonly rule: Pick<Rule, 'actionId' | 'name'>;
  /** The signature of the test on whose page the button is shown. Absent if the button is in the list of rules. */
  readonly signature?: string;
}

export const EndQuarantine = ({ visit, rule, signature }: Props): Html =>
  may(visit.person, 'actions:write') ? (
    <form class="actions" method="post" action={linkToRules(visit, rule.actionId, 'status')}>
      <input type="hidden" name="status" value="disabled" />
      <input type="hidden" name="back" value={signature === undefined ? 'rules' : 'test'} />
      {signature !== undefined && <input type="hidden" name="signature" value={signature} />}
      <button type="submit" class="quiet" aria-label={`${END_QUARANTINE}: ${rule.name}`}>
        {END_QUARANTINE}
      </button>
    </form>
  ) : (
    <span hidden />
  );

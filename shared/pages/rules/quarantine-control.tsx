/** The way to quarantine a test, or to the rule that already quarantines it. */
import type { Html } from '#shared/engine/html/html.ts';
import type { AppliedRule } from '#shared/model/rules/rule.ts';
import { formatShortDate } from '#shared/pages/design/format.tsx';
import { Icon } from '#shared/pages/design/icon.tsx';
import { linkToRules } from '#shared/pages/shell/hrefs.ts';
import { mayAdd } from '#shared/pages/shell/may-add.ts';
import type { NamedTest } from '#shared/rules/quarantine-of-test.ts';
import type { ProjectVisit } from '#shared/sign-in/visit.ts';
import { linkToQuarantine } from './quarantine-link.ts';

/** `item`: an entry of a menu. `icon`: for tables with a narrow column. */
type Look = 'button' | 'large' | 'icon' | 'item';

const CLASSES: Readonly<Record<Look, string | undefined>> = {
  button: 'button quiet small',
  large: 'button quiet',
  icon: 'button plain small',
  item: undefined,
};

interface Props {
  readonly visit: ProjectVisit;
  readonly test: NamedTest;
  /** The rule that quarantines the test. */
  readonly rule: Pick<AppliedRule, 'actionId' | 'name' | 'createdAt'> | undefined;
  /** Whether it stands beside the result of a run, which may have ended before the rule existed. */
  readonly isOfRun?: boolean;
  readonly look?: Look;
  readonly now: number;
}

export function QuarantineControl({ visit, test, rule, isOfRun = false, look = 'button', now }: Props): Html {
  if (!rule && !mayAdd(visit, 'actions:write')) return <></>;
  const since = rule && isOfRun ? ` since ${formatShortDate(rule.createdAt)}` : '';
  const label = rule ? `Quarantined${since}` : 'Quarantine…';
  const isIcon = look === 'icon' && !rule;
  return (
    <a
      class={rule && look === 'icon' ? CLASSES.button : CLASSES[look]}
      href={rule ? linkToRules(visit, rule.actionId) : linkToQuarantine(visit, test, now)}
      title={rule ? `Quarantined by the rule ${rule.name}` : isIcon ? 'Quarantine…' : undefined}
    >
      <Icon name="shield" size={look === 'button' || look === 'icon' ? 'small' : undefined} />
      {isIcon ? <span class="hidden-text">Quarantine {test.title.at(-1)}…</span> : label}
    </a>
  );
}

/** Tests that imports now name otherwise, while rules and issues still have their former names. */
import type { Html } from '#shared/engine/html/html.ts';
import { Icon } from '#shared/pages/design/icon.tsx';
import { GroupHead } from '#shared/pages/design/parts.tsx';
import { linkToRules, linkToTest } from '#shared/pages/shell/hrefs.ts';
import { mayAdd } from '#shared/pages/shell/may-add.ts';
import { isMovable } from '#shared/rules/moved-matcher.ts';
import type { LeftTest } from '#shared/rules/renamed-tests.ts';
import type { ProjectVisit } from '#shared/sign-in/visit.ts';

interface Props {
  readonly visit: ProjectVisit;
  readonly renamed: readonly LeftTest[];
}

export const RenamedTests = ({ visit, renamed }: Props): Html => (
  <>
    <GroupHead
      title="Tests with a new name"
      note="Imports name these tests otherwise since an update of Rundown. Their rules and issues no longer apply until somebody moves them."
    />
    <section class="panel" aria-label="Tests with a new name">
      <ul class="rows">
        {renamed.map((test) => (
          <RenamedTest visit={visit} test={test} />
        ))}
      </ul>
    </section>
  </>
);

const RenamedTest = ({ visit, test }: { readonly visit: ProjectVisit; readonly test: LeftTest }): Html => {
  const { from, to, signature, presentSignature, rules, issues, quarantine } = test;
  const stuckRules = rules.filter((rule) => !isMovable(rule, test));
  const hasMovable = stuckRules.length < rules.length || issues.length > 0 || quarantine !== undefined;
  const name = to.title.join(' › ');
  return (
    <li>
      <Icon name="triangle-alert" />
      <div class="grow">
        <a href={linkToTest(visit, presentSignature)}>{name}</a>
        <div class="meta">
          <code>{to.spec}</code>
        </div>
        <div class="meta">
          <span>
            Before: <a href={linkToTest(visit, signature)}>{from.title.join(' › ')}</a>
          </span>
          <code>{from.spec}</code>
        </div>
        <div class="meta">
          {rules.map((rule) => (
            <span>
              Rule <a href={linkToRules(visit, rule.actionId)}>{rule.name}</a>
            </span>
          ))}
          {issues.map(({ key, url }) => (
            <span>
              Issue <a href={url}>{key}</a>
            </span>
          ))}
          {stuckRules.length > 0 && (
            <span>Edit the rule {stuckRules[0]?.name}: its conditions cannot be moved automatically.</span>
          )}
        </div>
      </div>
      {hasMovable && mayAdd(visit, 'actions:write') && (
        <form class="actions" method="post" action={linkToRules(visit)}>
          <input type="hidden" name="signature" value={signature} />
          <button type="submit" class="quiet small" aria-label={`Move to ${name}`}>
            Move
          </button>
        </form>
      )}
    </li>
  );
};

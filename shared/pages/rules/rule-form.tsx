/** §4.4.11 The form that creates or changes a rule, with a preview. Every button works without JavaScript. */
import type { Html } from '#shared/engine/html/html.ts';
import { RULE_OPERATIONS, type RuleOperation } from '#shared/model/rules/rule-annotations.ts';
import { CONDITION_TYPES, OPERATORS } from '#shared/model/rules/rule-matcher.ts';
import { CheckField, makeFieldId, makeProblemId, Problem, TextField } from '#shared/pages/design/fields.tsx';
import { formatQuantity } from '#shared/pages/design/format.tsx';
import { Notice, PageHead, Panel } from '#shared/pages/design/parts.tsx';
import { linkToTest } from '#shared/pages/shell/hrefs.ts';
import { RefusalMessage } from '#shared/pages/shell/refused-form.tsx';
import { FormId } from '#shared/pages/shell/shown-once.tsx';
import type { WithForms } from '#shared/pages/shell/view.ts';
import { RULE_LIMITS } from '#shared/rules/limits.ts';
import type { Preview } from '#shared/rules/preview.ts';
import type { Runners } from '#shared/rules/read-runners.ts';
import type { ProjectVisit } from '#shared/sign-in/visit.ts';
import { OPERATOR_NAMES, TYPE_NAMES } from './condition-names.ts';
import { findOnlyTest } from './quarantine-link.ts';
import type { DraftCondition, RuleDraft } from './rule-fields.ts';
import { listRuleProblems } from './rule-problems.ts';
import { RunnersOfRules } from './runners-of-rules.tsx';

interface Props extends WithForms<ProjectVisit> {
  readonly heading: string;
  /** The URL to which the form is submitted. The page of the form has the same URL. */
  readonly action: string;
  readonly of: string;
  readonly formId: string;
  readonly draft: RuleDraft;
  readonly preview: Preview | { readonly problem: string } | undefined;
  readonly runners: Runners;
  /** Whether the person asked for a further condition. */
  readonly hasBlank: boolean;
  readonly save: string;
  readonly cancelHref: string;
}

const ACTIONS: Readonly<Record<RuleOperation, string>> = {
  quarantine: 'Quarantine: the test runs, and its failure does not fail the run',
  skip: 'Skip: the test does not run',
  tag: 'Tag: the test gets the tags below',
};

export function RuleForm({ visit, heading, action, of, formId, draft, refused, preview, ...more }: Props): Html {
  const only = findOnlyTest(draft);
  const problems = listRuleProblems(refused);
  const problem = (name: string) => problems.find((one) => one.name === name)?.text;
  const conditions = <Conditions draft={draft} action={action} problem={problem} hasBlank={more.hasBlank} />;
  return (
    <>
      <PageHead title={heading} />
      <form method="post" action={action}>
        <FormId formId={formId} />
        <RefusalMessage refused={refused} of={of} problems={problems} />
        <div class="columns">
          <div>
            <Panel title="Which tests">
              {only ? (
                <>
                  <p>
                    The test <b>{only.title}</b> in <code>{only.spec}</code>
                  </p>
                  <details>
                    <summary>Advanced: patterns and further conditions</summary>
                    {conditions}
                  </details>
                </>
              ) : (
                conditions
              )}
            </Panel>
            <Panel title="What happens to matching tests">
              <fieldset class="plain">
                <legend class="hidden-text">What happens to matching tests</legend>
                <Problem name="action" problem={problem('action')} />
                {RULE_OPERATIONS.map((operation) => (
                  <CheckField
                    label={ACTIONS[operation]}
                    name="action"
                    value={operation}
                    checked={draft.action.includes(operation)}
                    problem={problem('action')}
                  />
                ))}
              </fieldset>
              <TextField
                label="Tags"
                name="tags"
                value={draft.tags}
                hint="The tags that matching tests get. Separate them with commas"
                problem={problem('tags')}
              />
            </Panel>
            <Panel title="How long, and why">
              <TextField
                label="Expires"
                name="expires"
                type="date"
                value={draft.expires}
                hint="The last day on which the rule applies, in UTC. Leave the field empty for a rule that never expires"
                problem={problem('expires')}
              />
              <TextField
                label="Name"
                name="name"
                value={draft.name}
                maxlength={RULE_LIMITS.nameCharacters}
                problem={problem('name')}
                required
              />
              <TextField
                label="Description"
                name="description"
                value={draft.description}
                maxlength={RULE_LIMITS.descriptionCharacters}
                hint="Optional. The reason, or a link to a ticket"
                problem={problem('description')}
              />
            </Panel>
          </div>
          <aside aria-label="Preview and save">
            <Panel
              title="Preview"
              id="preview"
              footer={
                <>
                  <button type="submit">{more.save}</button>
                  <GetButton action={action} show="preview" label="Preview" />
                  <span class="grow" />
                  <a href={more.cancelHref}>Cancel</a>
                </>
              }
            >
              <ShownPreview visit={visit} preview={preview} />
              {more.runners.state === 'applied' ? (
                <RunnersOfRules visit={visit} runners={more.runners} />
              ) : (
                <Notice tone="flaky">
                  <RunnersOfRules visit={visit} runners={more.runners} />
                </Notice>
              )}
            </Panel>
          </aside>
        </div>
      </form>
    </>
  );
}

function ShownPreview({ visit, preview }: Pick<Props, 'visit' | 'preview'>): Html {
  if (!preview) return <p class="soft">The preview shows the matching tests of the last 14 days.</p>;
  if ('problem' in preview)
    return (
      <p class="notice problem-text" role="alert">
        <strong>No preview.</strong> {preview.problem}
      </p>
    );
  const { total, unknown, tests } = preview;
  return (
    <>
      <p role="status">
        <strong>{total === 0 ? 'No test' : formatQuantity(total, 'test')}</strong> of the last 14 days{' '}
        {total === 1 || total === 0 ? 'matches' : 'match'}.
        {unknown > 0 && ` ${formatQuantity(unknown, 'further test')} may match, but not all tests were checked.`}
      </p>
      <ul>
        {tests.map(({ signature, spec, title }) => (
          <li>
            <a href={linkToTest(visit, signature)}>{title.join(' › ')}</a> <small>{spec}</small>
          </li>
        ))}
      </ul>
    </>
  );
}

/** Sends the form to its own page with GET, so that the page renders it again with the entered values. */
const GetButton = ({
  action,
  show,
  label,
}: {
  readonly action: string;
  readonly show: string;
  readonly label: string;
}): Html => (
  <button type="submit" class="quiet" formmethod="get" formaction={action} formnovalidate name="show" value={show}>
    {label}
  </button>
);

interface ConditionsProps extends Pick<Props, 'draft' | 'action' | 'hasBlank'> {
  readonly problem: (name: string) => string | undefined;
}

function Conditions({ draft, action, hasBlank, problem }: ConditionsProps): Html {
  const rows = hasBlank || draft.cond.length === 0 ? [...draft.cond, BLANK] : draft.cond;
  return (
    <fieldset class="plain">
      <legend class="hidden-text">Conditions</legend>
      <p class="soft" id="conditions-hint">
        A text matches if it contains the value. Ids, projects and tags must be equal to the value. <code>/…/</code> is
        a regular expression. Write one value per line.
      </p>
      <div class="field">
        <label for="field-op">A test must match</label>
        <select id="field-op" name="op">
          <option value="AND" selected={draft.op === 'AND'}>
            all conditions
          </option>
          <option value="OR" selected={draft.op === 'OR'}>
            any condition
          </option>
        </select>
      </div>
      {rows.slice(0, RULE_LIMITS.conditions).map((row, index) => (
        <ConditionRow row={row} number={index + 1} problem={problem(`value_${index + 1}`)} />
      ))}
      <GetButton action={action} show="more" label="Add a condition" />
    </fieldset>
  );
}

const BLANK: DraftCondition = { type: 'title', operator: 'eq', value: '' };

interface ConditionProps {
  readonly row: DraftCondition;
  readonly number: number;
  readonly problem: string | undefined;
}

const ConditionRow = ({ row, number, problem }: ConditionProps): Html => (
  <div class="field">
    <label for={`type-${number}`}>Condition {number}</label>
    <select id={`type-${number}`} name={`type_${number}`}>
      {/* No reporter applies conditions about annotations. Rules that the API created may have them. */}
      {CONDITION_TYPES.filter((type) => type !== 'annotation' || type === row.type).map((type) => (
        <option value={type} selected={type === row.type}>
          {TYPE_NAMES[type]}
        </option>
      ))}
    </select>
    <select name={`operator_${number}`} aria-label={`Operator of condition ${number}`}>
      {OPERATORS.map((operator) => (
        <option value={operator} selected={operator === row.operator}>
          {OPERATOR_NAMES[operator]}
        </option>
      ))}
    </select>
    <textarea
      id={makeFieldId({ name: `value_${number}` })}
      name={`value_${number}`}
      rows={2}
      aria-label={`Values of condition ${number}`}
      aria-describedby={problem === undefined ? 'conditions-hint' : makeProblemId({ name: `value_${number}` })}
      aria-invalid={problem === undefined ? undefined : 'true'}
    >
      {/* Browsers drop a line break at the start of a textarea, so an extra one is added before the value. */}
      {`\n${row.value}`}
    </textarea>
    <Problem name={`value_${number}`} problem={problem} />
  </div>
);

/** The fields of forms, and forms that consist of one button. */
import type { Child, Html } from '#shared/engine/html/html.ts';

/** `name`: the name under which the value is sent. `of`: distinguishes fields with the same name in different forms. */
interface FieldName {
  readonly name: string;
  readonly of?: string | undefined;
}

interface FieldProps extends FieldName {
  readonly label: string;
  readonly value?: string | number | undefined;
  readonly hint?: string | undefined;
  readonly required?: boolean;
  /** Error message about the submitted value. */
  readonly problem?: string | undefined;
}

const Field = ({ label, hint, problem, children, ...field }: FieldProps & { readonly children?: Child }): Html => (
  <div class="field">
    <label for={makeFieldId(field)}>{label}</label>
    {children}
    {hint !== undefined && <small id={makeHintId(field)}>{hint}</small>}
    <Problem {...field} problem={problem} />
  </div>
);

interface TextProps extends FieldProps {
  readonly type?: 'text' | 'email' | 'number' | 'search' | 'date' | 'url' | 'password';
  readonly maxlength?: number;
  readonly min?: number | string;
  readonly max?: number | string;
  readonly step?: 'any';
  readonly autocomplete?: string;
  /** Whether the script takes the value from the fragment of the URL. With `submit`, it then also sends the form. */
  readonly fromFragment?: boolean | 'submit';
  readonly list?: string | undefined;
}

export const TextField = ({
  label,
  name,
  of,
  hint,
  type = 'text',
  fromFragment,
  problem,
  ...rest
}: TextProps): Html => (
  <Field {...{ label, name, of, hint, problem }}>
    <input
      id={makeFieldId({ name, of })}
      name={name}
      type={type}
      {...makeAriaAttributes({ name, of, hint, problem })}
      data-from-fragment={fromFragment}
      {...rest}
    />
  </Field>
);

interface AreaProps extends FieldProps {
  readonly value: string;
  readonly rows: number;
}

export const TextArea = ({ label, name, of, hint, value, problem, ...rest }: AreaProps): Html => (
  <Field {...{ label, name, of, hint, problem }}>
    <textarea id={makeFieldId({ name, of })} name={name} {...makeAriaAttributes({ name, of, hint, problem })} {...rest}>
      {/* Browsers drop a line break at the start of a textarea, so an extra one is added before the value. */}
      {`\n${value}`}
    </textarea>
  </Field>
);

interface SelectProps extends FieldProps {
  readonly options: readonly { readonly value: string; readonly label: string }[];
}

export const SelectField = ({ label, name, of, value, options, hint, problem }: SelectProps): Html => (
  <Field {...{ label, name, of, hint, problem }}>
    <select id={makeFieldId({ name, of })} name={name} {...makeAriaAttributes({ name, of, hint, problem })}>
      {options.map((option) => (
        <option value={option.value} selected={option.value === value}>
          {option.label}
        </option>
      ))}
    </select>
  </Field>
);

/** Leaves out undefined values. */
export const HiddenFields = ({
  fields,
}: {
  readonly fields: Readonly<Record<string, string | number | undefined>>;
}): Html => (
  <>
    {Object.entries(fields).map(
      ([name, value]) => value !== undefined && <input type="hidden" name={name} value={String(value)} />,
    )}
  </>
);

interface PostButtonProps {
  readonly action: string;
  readonly fields?: Readonly<Record<string, string>>;
  readonly class?: string | undefined;
  /** The name of the button for screen readers. Default: its text. */
  readonly label?: string;
  readonly children?: Child;
}

export const PostButton = ({ action, fields = {}, class: look, label, children }: PostButtonProps): Html => (
  <form method="post" action={action}>
    <HiddenFields fields={fields} />
    <button type="submit" class={look} aria-label={label}>
      {children}
    </button>
  </form>
);

interface AskedButtonProps extends PostButtonProps {
  /** What opens the question, such as `Revoke…`. */
  readonly open: string;
  readonly question: Child;
}

/** A button for what cannot be undone. It appears below its question, so that one click changes nothing. */
export const AskedButton = ({ open, question, label, ...button }: AskedButtonProps): Html => (
  <details class="ask">
    <summary class="button quiet small" aria-label={label}>
      {open}
    </summary>
    <p>{question}</p>
    <PostButton {...button} class="danger small" />
  </details>
);

interface CheckProps extends FieldName {
  readonly label: Child;
  readonly value: string;
  readonly checked?: boolean;
  /** The roles for which this checkbox has an effect, separated by spaces. */
  readonly roles?: string | undefined;
  /** The value of a checkbox of the same name that must be checked whenever this one is. The script ensures it. */
  readonly includes?: string | undefined;
  /** Error message of the surrounding `CheckGroup`. */
  readonly problem?: string | undefined;
}

export const CheckField = ({ label, name, of, value, checked = false, roles, includes, problem }: CheckProps): Html => (
  <div class="check" data-roles={roles}>
    <input
      id={makeFieldId({ name, of }, value)}
      type="checkbox"
      name={name}
      value={value}
      checked={checked}
      data-includes={includes}
      {...makeAriaAttributes({ name, of, problem })}
    />
    <label for={makeFieldId({ name, of }, value)}>{label}</label>
  </div>
);

interface RadioProps extends Pick<CheckProps, 'label' | 'name' | 'value' | 'checked'> {
  /** The role that the person has with this option. Style sheets mark the checkboxes without effect for it. */
  readonly role?: string;
}

export const RadioField = ({ label, name, value, checked = false, role }: RadioProps): Html => (
  <div class="check">
    <input
      id={makeFieldId({ name }, value)}
      type="radio"
      name={name}
      value={value}
      checked={checked}
      required
      data-role={role}
    />
    <label for={makeFieldId({ name }, value)}>{label}</label>
  </div>
);

interface GroupProps {
  readonly legend: string;
  readonly name: string;
  /** Error message about the choice. Pass it to each `CheckField` of the group as well. */
  readonly problem: string | undefined;
  readonly children?: Child;
}

export const CheckGroup = ({ legend, name, problem, children }: GroupProps): Html => (
  <fieldset>
    <legend>{legend}</legend>
    <Problem name={name} problem={problem} />
    {children}
  </fieldset>
);

export const Problem = ({ problem, ...field }: FieldName & { readonly problem: string | undefined }): Html => (
  <>
    {problem !== undefined && (
      <small id={makeProblemId(field)} class="problem-text">
        {problem}
      </small>
    )}
  </>
);

const makeAriaAttributes = ({ hint, problem, ...field }: FieldName & Pick<FieldProps, 'hint' | 'problem'>) => ({
  'aria-describedby':
    [hint !== undefined && makeHintId(field), problem !== undefined && makeProblemId(field)]
      .filter(Boolean)
      .join(' ') || undefined,
  'aria-invalid': problem === undefined ? undefined : 'true',
});

export const makeFieldId = ({ name, of = '' }: FieldName, value = ''): string =>
  ['field', of, name, value]
    .filter((part) => part !== '')
    .join('-')
    .replaceAll(/[^\w-]/g, '-');
const makeHintId = (field: FieldName): string => `${makeFieldId(field)}-hint`;
export const makeProblemId = (field: FieldName): string => `${makeFieldId(field)}-problem`;

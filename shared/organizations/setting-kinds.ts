/** The kinds of settings that a project can have: how a value is sent, checked, entered and printed. */
import * as z from 'zod';
import { invalidRequest } from '#shared/engine/errors.ts';
import { parseName, parseProjectTags, splitTags } from './name-inputs.ts';

/** Attributes of an `<input>`. */
interface InputAttributes {
  readonly type?: 'number';
  readonly step?: 'any';
  readonly min?: number;
  readonly max?: number;
  readonly maxlength?: number;
  readonly required?: boolean;
}

interface Kind<Value> {
  readonly kind: 'line' | 'duration' | 'flag' | 'labels';
  /** Describes the limits, and `parse` enforces them. */
  readonly request: z.ZodType<Value>;
  /** For settings files, if they check less. */
  readonly inFile?: z.ZodType<Value>;
  /** Throws 400 about the property `member` of the request. */
  readonly parse: (value: Value, member: string) => Value;
  readonly format: (value: Value) => string;
  /** For the form, if it shows another text. */
  readonly formatEntry?: (value: Value) => string;
  readonly parseEntry: (entry: string) => Value;
  readonly attributes: InputAttributes;
}

/** One setting. The API, the form, the command and the settings file derive what they accept and show. */
export interface Setting<Value> extends Kind<Value> {
  /** Of rows that lack the setting. Each setting that the first release did not have needs a default. */
  readonly byDefault?: Value;
  /** Of the member in requests. */
  readonly description: string;
  readonly label: string;
  /** The form field, where it is not named and labelled like the setting. */
  readonly fieldName?: string;
  readonly fieldLabel?: string;
  readonly hint?: string;
  /** The option of `projects settings`. */
  readonly option: { readonly name: string; readonly means: string; readonly takes?: string };
}

/** One non-empty line of text. `subject` begins the message of a refusal, such as `The name of a project`. */
export const makeLine = (subject: string, maximum: number): Kind<string> => ({
  kind: 'line',
  request: z.string().meta({ minLength: 1, maxLength: maximum }),
  parse: (text, member) => parseName(subject, text, { characters: maximum, member }),
  format: String,
  parseEntry: String,
  attributes: { maxlength: maximum, required: true },
});

/** Seconds, which people enter as minutes. `range` tells people the limits. */
export const makeDuration = (
  subject: string,
  { minimum, maximum }: { readonly minimum: number; readonly maximum: number },
  range: string,
): Kind<number> => ({
  kind: 'duration',
  request: z.int().meta({ minimum, maximum }),
  inFile: z.number(),
  parse: (seconds, member) => {
    if (Number.isInteger(seconds) && seconds >= minimum && seconds <= maximum) return seconds;
    throw invalidRequest(`${subject} must be ${minimum} to ${maximum} whole seconds (${range})`, [member]);
  },
  format: String,
  formatEntry: (seconds) => String(seconds / 60),
  parseEntry: (minutes) => Math.round(Number(minutes) * 60),
  attributes: { type: 'number', step: 'any', min: minimum / 60, max: maximum / 60, required: true },
});

export const FLAG: Kind<boolean> = {
  kind: 'flag',
  request: z.boolean(),
  parse: (isSet) => isSet,
  format: String,
  formatEntry: (isSet) => (isSet ? 'true' : ''),
  parseEntry: (entry) => entry === 'true',
  attributes: {},
};

export const makeLabels = (maximum: number, characters: number): Kind<readonly string[]> => ({
  kind: 'labels',
  request: z.array(z.string().meta({ minLength: 1, maxLength: characters })).meta({ maxItems: maximum }),
  parse: parseProjectTags,
  format: (labels) => labels.join(', '),
  parseEntry: splitTags,
  attributes: {},
});

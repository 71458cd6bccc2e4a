/** Which values an import may give an attribute of a row. */

/** Whether an import may set an attribute to this value. The value is `undefined` if the row lacks the attribute. */
export type AttributeCheck = (value: unknown, now: number) => boolean;

export const text: AttributeCheck = (value) => typeof value === 'string';
export const number: AttributeCheck = (value) => typeof value === 'number' && Number.isFinite(value);
export const count: AttributeCheck = (value) => typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
export const flag: AttributeCheck = (value) => typeof value === 'boolean';
export const list: AttributeCheck = (value) => Array.isArray(value);
export const map: AttributeCheck = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
export const alwaysNull: AttributeCheck = (value) => value === null;
export const absent: AttributeCheck = (value) => value === undefined;
export const emptyList: AttributeCheck = (value) => Array.isArray(value) && value.length === 0;
export const optional =
  (check: AttributeCheck): AttributeCheck =>
  (value, now) =>
    value === undefined || check(value, now);
export const nullable =
  (check: AttributeCheck): AttributeCheck =>
  (value, now) =>
    value === null || check(value, now);
export const oneOf =
  (...values: readonly string[]): AttributeCheck =>
  (value) =>
    values.some((one) => one === value);
export const atMost =
  (maximum: number): AttributeCheck =>
  (value, now) =>
    count(value, now) && Number(value) <= maximum;
/** A time in epoch milliseconds, at most so far ahead. */
export const within =
  (milliseconds: number): AttributeCheck =>
  (value, now) =>
    count(value, now) && Number(value) <= now + milliseconds;
/** A time in epoch seconds, whose milliseconds pass the check. */
export const seconds =
  (check: AttributeCheck): AttributeCheck =>
  (value, now) =>
    count(value, now) && check(Number(value) * 1000, now);
/** A time in the past. The clock of the deployment that wrote it may be a day ahead. */
export const past = within(24 * 3600 * 1000);

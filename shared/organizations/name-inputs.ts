/** Validates names and labels that people enter: one non-empty line of text. */
import { invalidRequest } from '#shared/engine/errors.ts';
import { MODEL_LIMITS } from '#shared/model/limits.ts';
import { NAME, NAME_PROBLEM } from '#shared/model/names.ts';
import { ORGANIZATION_LIMITS } from './limits.ts';

/**
 * Returns the trimmed name, or throws 400. `subject` is the beginning of the error message, such as `The name of a
 * project`, and `member` is the property of the request that contains the name.
 */
export function nameFrom(
  subject: string,
  text: string,
  {
    characters = ORGANIZATION_LIMITS.nameCharacters,
    member = 'name',
  }: { readonly characters?: number; readonly member?: string } = {},
): string {
  const name = text.trim();
  if (name === '' || name.length > characters || !name.isWellFormed() || /[\r\n]/.test(name))
    throw invalidRequest(`${subject} must be one line of 1 to ${characters} characters`, [member]);
  if (!NAME.test(name)) throw invalidRequest(`${subject} ${NAME_PROBLEM}`, [member]);
  return name;
}

/**
 * Returns the trimmed tags of a project, each once, or throws 400. A tag has no comma, because people enter tags as a
 * list that is separated by commas.
 */
export function projectTagsFrom(texts: readonly string[]): string[] {
  const { projectTags: most, projectTagCharacters: characters } = ORGANIZATION_LIMITS;
  const tags = [...new Set(texts.map((text) => nameFrom('A tag of a project', text, { characters, member: 'tags' })))];
  if (tags.length > most) throw invalidRequest(`A project can have at most ${most} tags`, ['tags']);
  const [wrong] = tags.filter((tag) => tag.includes(','));
  if (wrong === undefined) return tags;
  throw invalidRequest(`The tag "${wrong}" has a comma. Send several tags, or use another character`, ['tags']);
}

export const enteredTags = (text: string): string[] => text.split(',').filter((tag) => tag.trim() !== '');

/**
 * Returns the trimmed name of a branch, or throws 400. The name may be at most as long as a branch filter (§8), so that
 * clients can filter by every branch.
 */
export const branchFrom = (text: string, member = 'defaultBranchName'): string =>
  nameFrom('The name of a branch', text, {
    characters: MODEL_LIMITS.branchFilterCharacters,
    member,
  });

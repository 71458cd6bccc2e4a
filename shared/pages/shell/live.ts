/**
 * Pages that keep themselves up to date. The script of such a page asks an address whether the state has another tag,
 * and then reads the page again and merges it, so that no two parts of the page show different moments.
 */
import { computeStateTag } from '#shared/engine/http/content.ts';

/** For one element of the page. `href` answers with `makeStateContent` of an equal state. */
export const makeLiveAttributes = (href: string, state: unknown) => ({
  'data-live': href,
  'data-state': computeStateTag(state),
});

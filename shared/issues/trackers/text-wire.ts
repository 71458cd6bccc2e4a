/** Texts in the responses of trackers, which are stored and shown. Nobody checked them. */
import * as z from 'zod';
import { shortenToLine } from '#shared/engine/plain-text.ts';
import { TRACKER_LIMITS } from './tracker-http.ts';

const { storedCharacters, addressCharacters } = TRACKER_LIMITS;

/** The title of an issue, or the name of its state. One line, cut to what a row can hold. */
export const shownText = z
  .string()
  .transform((text) => shortenToLine(text.slice(0, 2 * storedCharacters), storedCharacters));

/** The address of a page, which people follow. Anything else than a web address makes the response invalid. */
export const pageAddress = z.url({ protocol: /^https?$/ }).max(addressCharacters);

/** Why an archive cannot be imported, and what to do about it. */
import { Refused } from '#infra/cli/terminal/usage-error.ts';

export class BadArchive extends Refused {
  override name = 'BadArchive';
}

export const EXPORT_AGAIN = 'Export the organization again to an empty folder or prefix';
export const COPY_OR_EXPORT_AGAIN =
  'Copy the archive again, or export the organization again to an empty folder or prefix';

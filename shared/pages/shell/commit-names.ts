/** What pages show of a commit in a line of text. */

const SHOWN_CHARACTERS = 7;

export const shortenSha = (sha: string): string => sha.slice(0, SHOWN_CHARACTERS);

/** The first line of the message. */
export const getCommitTitle = ({ message }: { readonly message?: string | null | undefined }): string | undefined =>
  message?.split('\n', 1)[0];

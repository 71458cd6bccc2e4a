/** What GitHub answers. */
import * as z from 'zod';

/** A login can be given to somebody else, so only the number says who a person is. */
export const GithubUser = z.object({ id: z.int().positive(), login: z.string(), name: z.string().nullish() });
export const GithubEmails = z.array(z.object({ email: z.string(), primary: z.boolean(), verified: z.boolean() }));

/**
 * Merges repeated spec files and tests of a request. A request may contain the same spec file or test several times, but
 * each has only one row in the table.
 */

/** `together`: merges the tests and files of all parts of a spec file. Other members are those of the last part. */
export const onePerSpec = <Instance extends { readonly groupId: string; readonly spec: string }>(
  sent: readonly Instance[],
  together: (parts: readonly Instance[]) => Partial<Instance>,
): Instance[] =>
  [...Map.groupBy(sent, ({ groupId, spec }) => JSON.stringify([groupId, spec])).values()].flatMap((parts) =>
    parts.slice(-1).map((last) => ({ ...last, ...together(parts) })),
  );

/** The last result of each test. */
export const onePerTest = <Sent extends { readonly test: { readonly testId: string } }>(
  sent: readonly Sent[],
): Sent[] => [...new Map(sent.map((one) => [one.test.testId, one])).values()];

/** Merges repeated spec files and tests of a request, because each has only one row in the table. */

/** `mergeParts` merges the tests and files of all parts of a spec file. Other members are those of the last part. */
export const mergeSpecs = <Instance extends { readonly groupId: string; readonly spec: string }>(
  instances: readonly Instance[],
  mergeParts: (parts: readonly Instance[]) => Partial<Instance>,
): Instance[] =>
  [...Map.groupBy(instances, ({ groupId, spec }) => JSON.stringify([groupId, spec])).values()].flatMap((parts) =>
    parts.slice(-1).map((last) => ({ ...last, ...mergeParts(parts) })),
  );

export const keepLastPerTest = <TestPart extends { readonly test: { readonly testId: string } }>(
  tests: readonly TestPart[],
): TestPart[] => [...new Map(tests.map((one) => [one.test.testId, one])).values()];

/**
 * Participles and adjectives that name no thing, so they are no names of types or values on their own. Words for one of a pair
 * or of a row, such as first, next, other, left and rest, are names.
 */
const ADJECTIVES = `own same whole old new newest oldest earlier later latest earliest former following remaining free busy full empty
  late early ready dirty fresh stale valid invalid big small large huge long short longest shortest best worst better worse fast slow
  good bad wrong true false plain bare raw safe alone alive dead equal certain sure possible present absent public private internal
  external actual real common special single several many few enough current local global foreign alike missing pending running
  waiting failing passing leading trailing coming existing matching changing lasting sole main complete partial final initial exact
  visible hidden readable usable`;

const PARTICIPLES = `begun bound broken brought built caught chosen come cut done drawn driven eaten fallen felt fetched found given gone
  grown had heard held hurt kept known laid led lent lost made meant met paid put read run said seen sent set shown shut sold spent
  split spoken spread stuck sung taken taught told thought thrown torn understood upset woken worn won written`;

const WORDS: ReadonlySet<string> = new Set(`${ADJECTIVES} ${PARTICIPLES}`.trim().split(/\s+/));

/** Verbs and nouns that end in -ed, or words whose participle is their noun. */
const EXCEPTIONS: ReadonlySet<string> = new Set([
  'seed',
  'feed',
  'need',
  'embed',
  'speed',
  'read',
  'run',
  'set',
  'put',
  'cut',
  'split',
  'hundred',
  'id',
  'bed',
  'red',
  'shed',
]);

/** Whether a name is one bare participle or adjective, such as `asked`, `found` or `own`. */
export const isBareState = (name: string): boolean => {
  const word = name.toLowerCase();
  if (!/^[A-Za-z][a-z]+$/.test(name) || EXCEPTIONS.has(word)) return false;
  return WORDS.has(word) || word.endsWith('ed');
};

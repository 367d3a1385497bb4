/** Street suffixes with their postal abbreviation first (USPS Publication 28, appendix C1: the common ones and what people write). */
const suffixes = `ALY ALLEY ALLY|ANX ANNEX|ARC ARCADE|AVE AVENUE AV AVEN|BYU BAYOU|BCH BEACH|BND BEND|BLF BLUFF|BLVD BOULEVARD BOUL|BR BRANCH
BRG BRIDGE|BRK BROOK|BYP BYPASS|CP CAMP|CYN CANYON|CSWY CAUSEWAY|CTR CENTER CENTRE CENT|CIR CIRCLE CIRC CRCL|CLF CLIFF|CLB CLUB|CMN COMMON
COR CORNER|CRSE COURSE|CT COURT CRT|CV COVE|CRK CREEK|CRES CRESCENT|CRST CREST|XING CROSSING|XRD CROSSROAD|CURV CURVE|DL DALE|DM DAM|DR DRIVE DRV
EST ESTATE|EXPY EXPRESSWAY EXPWY|EXT EXTENSION|FLS FALLS|FRY FERRY|FLD FIELD|FLDS FIELDS|FRST FOREST|FRK FORK|FWY FREEWAY|GDN GARDEN|GDNS GARDENS
GTWY GATEWAY|GLN GLEN|GRN GREEN|GRV GROVE|HBR HARBOR|HVN HAVEN|HTS HEIGHTS|HWY HIGHWAY HIWAY|HL HILL|HLS HILLS|HOLW HOLLOW|INLT INLET|ISLE
JCT JUNCTION|KNL KNOLL|LK LAKE|LKS LAKES|LNDG LANDING|LN LANE|LOOP|MNR MANOR|MDW MEADOW|MDWS MEADOWS|MEWS|ML MILL|MTWY MOTORWAY|ORCH ORCHARD
OVAL|PARK|PKWY PARKWAY PKY|PASS|PATH|PIKE|PL PLACE|PLN PLAIN|PLZ PLAZA PLZA|PT POINT|PRT PORT|PR PRAIRIE|RNCH RANCH|RPDS RAPIDS|RST REST|RDG RIDGE
RIV RIVER|RD ROAD|RTE ROUTE|ROW|RUN|SHR SHORE|SPG SPRING|SPGS SPRINGS|SQ SQUARE|STA STATION|ST STREET STR|SMT SUMMIT|TER TERRACE TERR|TRCE TRACE
TRL TRAIL|TRLR TRAILER|TUNL TUNNEL|TPKE TURNPIKE|VLY VALLEY|VW VIEW|VLG VILLAGE|VIS VISTA|WALK|WAY WY|WLS WELLS`;

const directions = `N NORTH|S SOUTH|E EAST|W WEST|NE NORTHEAST|NW NORTHWEST|SE SOUTHEAST|SW SOUTHWEST`;

/** Words that open a part of an address which names no street and no city. */
const units = new Set(
  `APT APARTMENT STE SUITE UNIT RM ROOM FL FLOOR BLDG BUILDING LOT SPC SPACE TRLR PH PENTHOUSE DEPT OFC OFFICE BSMT`.split(
    ' ',
  ),
);

const suffix_of = canonical(suffixes);
const direction_of = canonical(directions);

function canonical(table: string): ReadonlyMap<string, string> {
  return new Map(
    table.split(/[|\n]/).flatMap((entry) => {
      const words = entry.split(' ');
      return words.map((word) => [word, words[0] ?? word] as const);
    }),
  );
}

/** The postal abbreviation of a street suffix in any usual spelling, upper case; null where the word is none. */
export function streetSuffix(word: string): string | null {
  return suffix_of.get(word) ?? null;
}

/** The abbreviation of a compass word; null where the word is none. */
export function direction(word: string): string | null {
  return direction_of.get(word) ?? null;
}

/** True for a part such as `APT 4`, `UNIT B` or `#12`. */
export function isUnit(words: readonly string[]): boolean {
  const [first] = words;
  return first !== undefined && (first.startsWith('#') || (units.has(first) && words.length <= 3));
}

/** A street written in one text, `N Military Plaza NW`, parted into what judging compares. Upper case; empty where there is none. */
export function partStreet(text: string): {
  street_name: string;
  suffix: string;
  pre_direction: string;
  suffix_direction: string;
} {
  const words = text
    .toUpperCase()
    .split(/[\s.]+/)
    .filter((word) => word !== '');
  // A street may be called North or Park: the last word left is always the name.
  const takeLast = (is: (word: string) => boolean): string =>
    words.length > 1 && is(words.at(-1) ?? '') ? (words.pop() ?? '') : '';
  const suffix_direction = takeLast((word) => direction(word) !== null);
  const suffix = takeLast((word) => streetSuffix(word) !== null);
  const pre_direction = words.length > 1 && direction(words[0] ?? '') !== null ? (words.shift() ?? '') : '';
  return { street_name: words.join(' '), suffix, pre_direction, suffix_direction };
}

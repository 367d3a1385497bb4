/** Postal codes and names of the states, the District and the territories, as the Census Bureau has them. */
const states = `AL Alabama|AK Alaska|AZ Arizona|AR Arkansas|CA California|CO Colorado|CT Connecticut|DE Delaware|DC District of Columbia
FL Florida|GA Georgia|HI Hawaii|ID Idaho|IL Illinois|IN Indiana|IA Iowa|KS Kansas|KY Kentucky|LA Louisiana|ME Maine|MD Maryland
MA Massachusetts|MI Michigan|MN Minnesota|MS Mississippi|MO Missouri|MT Montana|NE Nebraska|NV Nevada|NH New Hampshire|NJ New Jersey
NM New Mexico|NY New York|NC North Carolina|ND North Dakota|OH Ohio|OK Oklahoma|OR Oregon|PA Pennsylvania|RI Rhode Island
SC South Carolina|SD South Dakota|TN Tennessee|TX Texas|UT Utah|VT Vermont|VA Virginia|WA Washington|WV West Virginia|WI Wisconsin
WY Wyoming|AS American Samoa|GU Guam|MP Northern Mariana Islands|PR Puerto Rico|VI Virgin Islands`;

const codes = new Map(
  states.split(/[|\n]/).flatMap((entry) => {
    const code = entry.slice(0, 2);
    return [
      [code, code],
      [entry.slice(3).toUpperCase(), code],
    ] as const;
  }),
);

/** The most words that a state's name has. */
export const most_state_words = 3;

/** The postal code of a state written as code or name, upper case, words parted by one space; null for anything else. */
export function stateCode(text: string): string | null {
  return codes.get(text) ?? null;
}

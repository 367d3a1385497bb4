/** A public building for trying the service out: see infra/sandbox/README.md on where the coordinates are from. */
export interface GazetteerEntry {
  name: string;
  street: string;
  city: string;
  state: string;
  zip: string;
  lat: number;
  lon: number;
}

type Row = readonly [
  name: string,
  street: string,
  city: string,
  state: string,
  zip: string,
  lat: number,
  lon: number,
];

const rows: readonly Row[] = [
  ['City Hall', '100 Military Plaza', 'San Antonio', 'TX', '78205', 29.4246, -98.4953],
  ['Bexar County Courthouse', '100 Dolorosa', 'San Antonio', 'TX', '78205', 29.4238, -98.4938],
  ['Comal County Courthouse', '100 Main Plz', 'New Braunfels', 'TX', '78130', 29.703, -98.1245],
  ['Guadalupe County Courthouse', '101 E Court St', 'Seguin', 'TX', '78155', 29.5688, -97.9647],
  ['Kendall County Courthouse', '201 E San Antonio Ave', 'Boerne', 'TX', '78006', 29.7947, -98.732],
  ['City Hall', '1400 Schertz Pkwy', 'Schertz', 'TX', '78154', 29.5657, -98.27],
  ['City Hall', '30360 Cougar Bnd', 'Bulverde', 'TX', '78163', 29.746, -98.45],
  ['City Hall', '12951 Bandera Rd', 'Helotes', 'TX', '78023', 29.5683, -98.687],
  ['City Hall', '7360 E 6th St', 'Somerset', 'TX', '78069', 29.2263, -98.6578],
  ['City Hall', '14100 San Antonio St', 'Von Ormy', 'TX', '78073', 29.2883, -98.645],
  ['Wilson County Courthouse', '1420 3rd St', 'Floresville', 'TX', '78114', 29.1336, -98.1561],
  ['Tye Preston Memorial Library', '16311 S Access Rd', 'Canyon Lake', 'TX', '78133', 29.869, -98.262],
  ['Texas State Capitol', '1100 Congress Ave', 'Austin', 'TX', '78701', 30.2747, -97.7404],
  ['Dallas City Hall', '1500 Marilla St', 'Dallas', 'TX', '75201', 32.7763, -96.7969],
  ['Tarrant County Courthouse', '100 W Weatherford St', 'Fort Worth', 'TX', '76102', 32.7572, -97.3331],
  ['City Hall', '1314 Avenue K', 'Lubbock', 'TX', '79401', 33.5853, -101.8456],
  ['Potter County Courthouse', '500 S Fillmore St', 'Amarillo', 'TX', '79101', 35.2062, -101.8355],
  ['Oklahoma State Capitol', '2300 N Lincoln Blvd', 'Oklahoma City', 'OK', '73105', 35.4923, -97.5033],
  ['City Hall', '301 N Broadway Ave', 'Moore', 'OK', '73160', 35.3415, -97.4867],
  ['Cleveland County Courthouse', '200 S Peters Ave', 'Norman', 'OK', '73069', 35.2207, -97.4428],
  ['City Hall', '175 E 2nd St', 'Tulsa', 'OK', '74103', 36.1557, -95.9917],
  ['Kansas State Capitol', '300 SW 10th Ave', 'Topeka', 'KS', '66612', 39.0481, -95.6781],
  ['City Hall', '455 N Main St', 'Wichita', 'KS', '67202', 37.6928, -97.3375],
  ['Finney County Courthouse', '311 N 9th St', 'Garden City', 'KS', '67846', 37.9697, -100.873],
  ['Nebraska State Capitol', '1445 K St', 'Lincoln', 'NE', '68508', 40.8081, -96.6997],
  ['Douglas County Courthouse', '1701 Farnam St', 'Omaha', 'NE', '68183', 41.258, -95.9394],
  ['Colorado State Capitol', '200 E Colfax Ave', 'Denver', 'CO', '80203', 39.7393, -104.9848],
  ['City Hall', '107 N Nevada Ave', 'Colorado Springs', 'CO', '80903', 38.8344, -104.8207],
  ['Wyoming State Capitol', '200 W 24th St', 'Cheyenne', 'WY', '82001', 41.1403, -104.8203],
  ['South Dakota State Capitol', '500 E Capitol Ave', 'Pierre', 'SD', '57501', 44.3672, -100.3464],
  ['City Hall', '300 6th St', 'Rapid City', 'SD', '57701', 44.0833, -103.2271],
  ['North Dakota State Capitol', '600 E Boulevard Ave', 'Bismarck', 'ND', '58505', 46.8208, -100.7828],
  [
    'Minnesota State Capitol',
    '75 Rev Dr Martin Luther King Jr Blvd',
    'Saint Paul',
    'MN',
    '55155',
    44.9553,
    -93.1022,
  ],
  ['Iowa State Capitol', '1007 E Grand Ave', 'Des Moines', 'IA', '50319', 41.5911, -93.6038],
  ['Missouri State Capitol', '201 W Capitol Ave', 'Jefferson City', 'MO', '65101', 38.5791, -92.1729],
  ['City Hall', '414 E 12th St', 'Kansas City', 'MO', '64106', 39.1, -94.578],
  ['City Hall', '840 N Boonville Ave', 'Springfield', 'MO', '65802', 37.2165, -93.2923],
  ['Arkansas State Capitol', '500 Woodlane St', 'Little Rock', 'AR', '72201', 34.7465, -92.2896],
  ['Mississippi State Capitol', '400 High St', 'Jackson', 'MS', '39201', 32.3039, -90.1822],
  ['Lee County Courthouse', '200 W Jefferson St', 'Tupelo', 'MS', '38804', 34.2579, -88.7058],
  ['Alabama State Capitol', '600 Dexter Ave', 'Montgomery', 'AL', '36130', 32.3776, -86.3006],
  ['Georgia State Capitol', '206 Washington St SW', 'Atlanta', 'GA', '30334', 33.749, -84.3882],
  ['Tennessee State Capitol', '600 Dr Martin L King Jr Blvd', 'Nashville', 'TN', '37243', 36.1659, -86.7844],
  ['Illinois State Capitol', '401 S 2nd St', 'Springfield', 'IL', '62701', 39.7983, -89.6548],
  ['Indiana Statehouse', '200 W Washington St', 'Indianapolis', 'IN', '46204', 39.7686, -86.1625],
  ['Ohio Statehouse', '1 Capitol Sq', 'Columbus', 'OH', '43215', 39.9614, -82.9988],
  ['Louisiana State Capitol', '900 N 3rd St', 'Baton Rouge', 'LA', '70802', 30.4571, -91.1874],
  ['Montana State Capitol', '1301 E 6th Ave', 'Helena', 'MT', '59601', 46.5857, -112.0184],
  ['City Hall', '1 Civic Plz NW', 'Albuquerque', 'NM', '87102', 35.088, -106.65],
  ['Reeves County Courthouse', '100 E 4th St', 'Pecos', 'TX', '79772', 31.4256, -103.4955],
];

/** Public buildings of the hail states near recorded hail. */
export const gazetteer: readonly GazetteerEntry[] = rows.map(
  ([name, street, city, state, zip, lat, lon]) => ({
    name,
    street,
    city,
    state,
    zip,
    lat,
    lon,
  }),
);

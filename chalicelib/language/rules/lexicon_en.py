"""English word lists that patterns need: what is a pet, a relative, an occupation, a language."""

import re

KIN = (
    "mother|mom|mum|father|dad|parents|brother|sister|son|daughter|wife|husband|spouse|partner|"
    "girlfriend|boyfriend|fianc[eé]e?|cousin|aunt|uncle|"
    "grandma|grandmother|grandpa|grandfather|grandson|granddaughter|niece|nephew|twin|stepmother|"
    "stepfather|stepson|stepdaughter|"
    "mother-in-law|father-in-law|sister-in-law|brother-in-law|friend|bestie|boss|manager|supervisor|"
    "colleague|coworker|co-worker|neighbou?r|"
    "roommate|flatmate|teacher|mentor|coach|classmate|teammate"
)
KIN_ADJECTIVES = "older|younger|elder|little|big|best|oldest|youngest|eldest|twin|old|good|close|ex-|late|new|former"
FAMILY = (
    "sons?|daughters?|brothers?|sisters?|kids?|child|children|siblings?|twins|twin|cousins?|nephews?|"
    "nieces?|grandchildren|grandkids|stepsons?|stepdaughters?"
)
PETS = (
    "dogs?|cats?|pupp(?:y|ies)|pups?|kittens?|kitt(?:y|ies)|rabbits?|bunn(?:y|ies)|hamsters?|guinea "
    "pigs?|parrots?|birds?|budgies?|turtles?|tortoises?|snakes?|"
    "lizards?|geckos?|goldfish|fish|horses?|pon(?:y|ies)|ferrets?|pets?|labradors?|retrievers?|"
    "corgis?|poodles?|beagles?|iguanas?|chickens?|goats?"
)
GOODS = (
    "car|truck|van|motorcycle|motorbike|bike|bicycle|scooter|boat|house|home|apartment|flat|condo|"
    "cabin|farm|laptop|computer|pc|macbook|"
    "ipad|tablet|phone|iphone|camera|drone|guitar|piano|violin|drum kit|keyboard|telescope|tent|"
    "console|playstation|xbox|switch|tv|printer|"
    "suv|tesla|volvo|toyota|honda|bmw|ford|kayak|surfboard|treadmill|bakery|restaurant|store|shop|"
    "business|company|studio|garden"
)
JOBS = (
    "nurse|doctor|physician|surgeon|dentist|vet|veterinarian|pharmacist|teacher|professor|lecturer|"
    "tutor|student|engineer|developer|programmer|"
    "designer|architect|manager|director|accountant|lawyer|attorney|paralegal|judge|writer|author|"
    "journalist|editor|translator|"
    "interpreter|chef|cook|baker|barista|waiter|waitress|bartender|driver|pilot|mechanic|electrician|"
    "plumber|carpenter|painter|photographer|"
    "musician|singer|dancer|actor|actress|artist|scientist|researcher|analyst|consultant|salesperson|"
    "salesman|cashier|clerk|secretary|"
    "receptionist|librarian|police officer|officer|firefighter|soldier|farmer|gardener|florist|"
    "hairdresser|barber|tailor|banker|broker|"
    "realtor|recruiter|founder|entrepreneur|freelancer|contractor|technician|therapist|counselor|"
    "counsellor|psychologist|psychiatrist|"
    "social worker|coach|trainer|administrator|assistant|producer|filmmaker|screenwriter|blogger|"
    "streamer|marketer|welder|paramedic|"
    "midwife|economist|physicist|chemist|biologist|mathematician|statistician|geologist|astronomer|"
    "historian|philosopher|"
    "athlete|footballer|intern|apprentice|homemaker|housewife|retiree|civil servant|product manager|"
    "caregiver|nanny|model|poet|novelist|"
    "cto|ceo|cfo|professor|dietitian|nutritionist|optometrist|radiologist|cardiologist|bricklayer|"
    "builder|tester|data scientist|auditor"
)
JOB = re.compile(
    rf"^(?:[\w'/-]+ ){{0,4}}(?:{JOBS})(?: (?:at|for|in|with|by|from|and|of|who|on)\b.{{0,60}})?$", re.IGNORECASE
)
NO_JOB = re.compile(
    (
        r"\b(?:bit|fan|big|huge|great|good|better|bad|terrible|total|real|little|lot|such|born|natural|"
        r"slow|fast|quick|people|role)\b"
    ),
    re.IGNORECASE,
)
LANGUAGES = (
    "english|chinese|mandarin|cantonese|french|german|spanish|italian|portuguese|japanese|korean|"
    "russian|arabic|hindi|dutch|swedish|"
    "norwegian|danish|finnish|polish|czech|greek|turkish|hebrew|thai|vietnamese|ukrainian|hungarian|"
    "romanian|latin|swahili|urdu|bengali|"
    "irish|welsh|sign language|catalan|tamil|malay|indonesian|persian|farsi"
)
AILMENTS = (
    "diabetes|asthma|hypertension|high blood pressure|arthritis|migraines?|epilepsy|adhd|add|autism|"
    "depression|anxiety|insomnia|anemia|anaemia|"
    "celiac disease|coeliac disease|crohn's(?: disease)?|eczema|psoriasis|hay fever|ibs|lupus|"
    "tinnitus|dyslexia|sleep apnea|scoliosis|type [12] diabetes|"
    "heart disease|thyroid disease|hypothyroidism|gout|osteoporosis|ptsd|ocd|bipolar disorder|parkinson's(?: disease)?"
)
DIETS = (
    "vegetarian|vegan|pescatarian|lactose[- ]intolerant|gluten[- ]intolerant|gluten[- ]free|celiac|coeliac|kosher|halal"
)
FAVOURITES = {
    "colour": "color",
    "colors": "color",
    "colours": "color",
    "foods": "food",
    "dish": "food",
    "meal": "food",
    "movies": "movie",
    "film": "movie",
    "films": "movie",
    "songs": "song",
    "books": "book",
    "novel": "book",
    "sports": "sport",
    "animals": "animal",
    "cities": "city",
    "drinks": "drink",
    "beverage": "drink",
    "games": "game",
    "holiday": "holiday",
}
